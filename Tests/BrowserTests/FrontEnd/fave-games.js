// A client of /api/v1. Each call gives the whole response: its status, the fields that a page may
// read, and its body.
import { send } from "./send.js";

export class FaveGames {
  #address;
  #token;

  constructor(address, token) {
    this.#address = address;
    this.#token = token ?? undefined;
  }

  signUp(username, password) { return this.#call("POST", "/users", { username, password }); }

  // Speaks for this user from then on.
  async signIn(username, password) {
    const response = await this.#call("POST", "/sessions", { username, password });
    this.#token = response.body.accessToken;
    return response;
  }

  signOut() { return this.#call("DELETE", "/sessions/current"); }

  change(profile) { return this.#call("PATCH", "/me", profile); }

  myList() { return this.#call("GET", "/me/list"); }

  // Replaces the list if it is still the one that has this entity tag.
  replaceList(entries, tag) {
    return this.#call("PUT", "/me/list", { entries }, { "If-Match": tag });
  }

  // Somebody's list, unless it is still the one that has this entity tag.
  list(username, tag) {
    const options = tag ? { fields: { "If-None-Match": tag }, cache: "no-store" } : {};
    return send("GET", `${this.#address}/users/${username}/list`, options);
  }

  // A platform's ranking from the first page to the last, as `Link` leads from each to the next.
  async rankingPages(platform, limit) {
    const pages = [];
    let url = `${this.#address}/platforms/${platform}/ranking?limit=${limit}`;
    while (url && pages.length < 10) {
      const page = await send("GET", url);
      pages.push(page);
      url = page.headers.link?.match(/<([^>]*)>; rel="next"/)?.[1];
    }
    return pages;
  }

  #call(method, path, json, fields) {
    return send(method, this.#address + path, { token: this.#token, json, fields });
  }
}
