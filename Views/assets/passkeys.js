// Passkeys: the forms with data-passkey. The server says which credential the browser must create or
// request, and the form carries the browser's response.
import { say } from "./suggestions.js";

const encode = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const decode = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

async function options(form) {
  const response = await fetch(`${form.getAttribute("action")}/options`, {
    method: "POST",
    headers: { Accept: "application/json" },
    body: new URLSearchParams(new FormData(form)),
  });
  if (response.ok) return response.json();
  // The page that says what is wrong.
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  throw new Error(page.querySelector("#problem, .error .lead")?.textContent ?? say("Try again in a moment."));
}

const withBytes = (descriptor) => ({ ...descriptor, id: decode(descriptor.id) });

async function create(form) {
  const publicKey = await options(form);
  publicKey.challenge = decode(publicKey.challenge);
  publicKey.user.id = decode(publicKey.user.id);
  publicKey.excludeCredentials = (publicKey.excludeCredentials ?? []).map(withBytes);
  const { response } = await navigator.credentials.create({ publicKey });
  return {
    clientDataJSON: response.clientDataJSON,
    attestationObject: response.attestationObject,
  };
}

async function get(form) {
  const publicKey = await options(form);
  publicKey.challenge = decode(publicKey.challenge);
  publicKey.allowCredentials = (publicKey.allowCredentials ?? []).map(withBytes);
  const { rawId, response } = await navigator.credentials.get({ publicKey });
  return {
    id: rawId,
    clientDataJSON: response.clientDataJSON,
    authenticatorData: response.authenticatorData,
    signature: response.signature,
    userHandle: response.userHandle ?? new ArrayBuffer(0),
  };
}

// What browsers throw, in words for people.
const said = (error) =>
  ({
    NotAllowedError: say("Cancelled or timed out. Try again."),
    InvalidStateError: say("This device has a passkey for your account already."),
    NotSupportedError: say("Your device can’t make a passkey for this site."),
    SecurityError: say("Your browser doesn’t allow passkeys at this address."),
  })[error.name] ?? error.message;

for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!window.PublicKeyCredential) continue;
  form.hidden = false;
  document.querySelector("[data-without-script]")?.remove();
  const ask = form.dataset.passkey === "create" ? create : get;
  const fault = form.querySelector("[data-fault]");
  const button = form.querySelector("button");
  let isDone = false;
  form.addEventListener("submit", async (event) => {
    if (isDone) return;
    event.preventDefault();
    fault.hidden = true;
    button.disabled = true;
    try {
      for (const [name, bytes] of Object.entries(await ask(form))) {
        form.elements[name].value = encode(bytes);
      }
      isDone = true;
      form.submit();
    } catch (error) {
      fault.textContent = said(error);
      fault.hidden = false;
    } finally {
      button.disabled = false;
    }
  });
}
