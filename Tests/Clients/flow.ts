// What people do with the client that OpenAPI Generator makes for TypeScript.
import {
  Configuration, GamesApi, MyListApi, PlatformsApi, ResponseError, SessionsApi, UsersApi,
} from "./index.ts";

function check(isTrue: boolean, what?: unknown): asserts isTrue {
  if (!isTrue) throw new Error(String(what));
}

// The client knows the address from the document.
const account = { username: "deno-rex", password: "tulip staple 42" };
const user = await new UsersApi().signUp({ signUpRequest: account });
console.log("signed up", user.username);

const tokens = await new SessionsApi().signIn({ signInRequest: account });
const person = new Configuration({ accessToken: tokens.accessToken });
console.log("signed in");

const found = await new GamesApi().listGames({ search: "portal" });
const platform = found.games[0].platforms[0].id;
const entries = found.games.filter((game) => game.platforms.some((p) => p.id === platform))
  .slice(0, 3).map((game) => ({ gameId: game.id, platformId: platform }));

const list = new MyListApi(person);
const ifMatch = (await list.getMyListRaw({})).raw.headers.get("ETag");
check(ifMatch !== null, "no ETag");
const body = { ifMatch, replaceMyListRequest: { entries } };
const saved = await list.replaceMyList(body);
check(saved.entries.length === entries.length, saved);
console.log("saved", saved.entries.length);
try {
  await list.replaceMyList(body);
  check(false, "saved twice");
} catch (error) {
  check(error instanceof ResponseError && error.response.status === 412, error);
  console.log("refused:", (await error.response.json()).kind);
}

let places = 0;
let cursor: string | undefined;
do {
  const page = await new PlatformsApi().getRanking({ platform: String(platform), limit: 1, cursor });
  places += page.games.length;
  cursor = page.nextCursor ?? undefined;
} while (cursor !== undefined);
check(places >= entries.length, places);
console.log("paged through", places);

const refreshRequest = { refreshToken: tokens.refreshToken };
const renewed = await new SessionsApi().refresh({ refreshRequest });
check(renewed.refreshToken !== tokens.refreshToken);
console.log("refreshed");
