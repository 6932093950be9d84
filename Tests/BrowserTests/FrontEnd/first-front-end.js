// A client of /api/v0, which is told nothing but its address and a token.
import { send } from "./send.js";

export class FirstFrontEnd {
  #address;
  #token;

  constructor(address, token) {
    this.#address = address;
    this.#token = token ?? undefined;
  }

  ping() { return this.#call("GET", "/ping"); }

  searchGames(text) { return this.#call("GET", `/games?search=${encodeURIComponent(text)}`); }

  // An array becomes its elements with commas between.
  games(ids) { return this.#call("GET", `/games?gameIds=${ids}`); }

  game(id) { return this.#call("GET", `/games/${id}`); }

  platforms(ids) { return this.#call("GET", `/platforms?platformIds=${ids}`); }

  searchPlatforms(text, parameter = "searchTerm") {
    return this.#call("GET", `/platforms?${parameter}=${encodeURIComponent(text)}`);
  }

  searchUsers(text) { return this.#call("GET", `/users?search=${encodeURIComponent(text)}`); }

  user(id) { return this.#call("GET", `/users/${id}`); }

  me() { return this.#call("GET", "/users/me", this.#secret()); }

  myFaveGames() { return this.#call("GET", "/my-fave-games", this.#secret()); }

  faveGames(userId) { return this.#call("GET", `/my-fave-games/${userId}`); }

  add(faveGame) { return this.#call("POST", "/my-fave-games", this.#secret(faveGame)); }

  edit(id, reasons) {
    return this.#call("PUT", `/my-fave-games/${id}`, this.#secret({ reasons }));
  }

  remove(id) { return this.#call("DELETE", `/my-fave-games/${id}`, this.#secret()); }

  platformFaveGames(platformId) {
    return this.#call("GET", `/platform-fave-games/${platformId}`);
  }

  // What reads nothing in particular, such as an address that lacks its parameters.
  get(path) { return this.#call("GET", path); }

  // It says that it sends JSON also where it sends nothing, as front ends do that have one set of
  // fields for all.
  #secret(json) {
    return { token: this.#token, json, fields: { "Content-Type": "application/json" } };
  }

  async #call(method, path, options) {
    return (await send(method, this.#address + path, options)).body;
  }
}
