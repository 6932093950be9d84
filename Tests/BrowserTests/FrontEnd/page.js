// What tests find in the page: a client, and a way to see what comes of its calls.
import { FaveGames } from "./fave-games.js";
import { FirstFrontEnd } from "./first-front-end.js";

const clients = { FaveGames, FirstFrontEnd };
let client;

window.connect = (name, ...rest) => { client = new clients[name](...rest); };

window.call = async (name, ...rest) => {
  try {
    return { value: await client[name](...rest) };
  } catch ({ name, message, status, headers, body }) {
    return { failure: { name, message, status, headers, body } };
  }
};

window.widthOfImage = (url) => new Promise((resolve) => {
  const image = new Image();
  image.onload = () => resolve(image.naturalWidth);
  image.onerror = () => resolve(0);
  image.src = url;
});
