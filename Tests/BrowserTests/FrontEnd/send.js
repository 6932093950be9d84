// Requests of a page to an API at another origin, by fetch alone.

// A response that says no.
export class Refusal extends Error {
  constructor({ status, headers, body }) {
    super(`The API responded with ${status}.`);
    Object.assign(this, { name: "Refusal", status, headers, body });
  }
}

// The body as what it says to be.
const read = async (response) => {
  const text = await response.text();
  const type = response.headers.get("Content-Type") ?? "";
  return /^application\/(\w+\+)?json\b/.test(type) ? JSON.parse(text) : text;
};

// The fields that come back are those that the browser lets a page read.
export const send = async (method, url, { token, json, fields = {}, cache = "default" } = {}) => {
  const headers = new Headers(fields);
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
  if (json !== undefined) headers.set("Content-Type", "application/json");
  const body = json === undefined ? undefined : JSON.stringify(json);
  const response = await fetch(url, { method, headers, body, cache });
  const result = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await read(response),
  };
  if (!response.ok && response.status !== 304) throw new Refusal(result);
  return result;
};
