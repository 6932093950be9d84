// Makes the pages more pleasant. Without this script, everything works with forms and links.

import { element, say, Suggestions } from "./suggestions.js";

// Hides a cover that can't be had, over its placeholder: WebKit would draw a question mark there.
function hideMissing(image) {
  if (image.closest(".picture")) image.hidden = true;
}
addEventListener("error", ({ target }) => {
  if (target instanceof HTMLImageElement) hideMissing(target);
}, true);
for (const image of document.images) if (image.complete && !image.naturalWidth) hideMissing(image);

// A button that copies a text, and announces that to screen readers.
function copyButton(label, text) {
  const button = element("button", { type: "button", class: "quiet" }, label);
  const status = element("span", { role: "status" });
  let timer = 0;
  button.addEventListener("click", async () => {
    clearTimeout(timer);
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = say("Copied");
    } catch {
      // The browser does not allow it. People can still select the text.
      status.textContent = say("Couldn’t copy");
    }
    timer = setTimeout(() => (status.textContent = ""), 4000);
  });
  return [button, " ", status];
}

// Fetches the picture that a link downloads, to hand it over. The browser allows that only for a few
// seconds after a click, so it begins earlier, and gives up.
const pictures = new Map();
function picture({ href, download }) {
  if (!pictures.has(href)) {
    const file = fetch(href, { signal: AbortSignal.timeout(4000) }).then(async (response) => {
      if (!response.ok) throw new Error("no picture");
      const blob = await response.blob();
      return new File([blob], download, { type: blob.type });
    });
    file.catch(() => pictures.delete(href));
    pictures.set(href, file);
  }
  return pictures.get(href);
}

// Whether apps can be handed a picture, and not just a link.
const sharesFiles = navigator.canShare?.({ files: [new File(["x"], "x.jpg", { type: "image/jpeg" })] });

// A button that hands over a title and a link, with the picture that `download` finds a link to.
function shareButton({ title, url }, download = () => null) {
  const button = element("button", { type: "button", class: "quiet" }, say("Share…"));
  const link = () => (sharesFiles ? download() : null);
  for (const type of ["pointerdown", "focus"]) {
    button.addEventListener(type, () => {
      const found = link();
      if (found) picture(found).catch(() => {});
    });
  }
  button.addEventListener("click", async () => {
    const data = { title, url };
    const found = link();
    try {
      if (found) Object.assign(data, { files: [await picture(found)], text: title });
    } catch {
      // Without the picture, there is still the link.
    }
    // Closing the sheet is a change of mind, and no error.
    navigator.share(data).catch(() => {});
  });
  return button;
}

for (const share of document.querySelectorAll(".share")) {
  const link = share.querySelector("a, input");
  const url = link.href ?? link.value;
  link.addEventListener("focus", () => link.select?.());
  // A list has a place for them, so that nothing moves when they come.
  const place = share.querySelector(".tools");
  const tools = place ?? element("span", { class: "tools" });
  const title = share.dataset.title ?? document.title;
  // On the page for sharing, with the first picture that is shown.
  const downloads = [...(share.closest(".sharing")?.querySelectorAll("[download]") ?? [])];
  const shown = () => downloads.find((link) => link.offsetParent);
  if (navigator.share) tools.append(shareButton({ title, url }, shown), " ");
  if (sharesFiles) {
    for (const link of downloads) {
      const button = shareButton({ title, url }, () => link);
      button.append(link.querySelector(".hidden").cloneNode(true));
      link.before(button, " ");
    }
  }
  // Only where the page came by TLS, or from this very machine.
  if (navigator.clipboard) tools.append(...copyButton(say("Copy link"), url));
  // On the page for sharing, the first button is the primary one.
  if (share.closest(".sharing")) tools.querySelector("button")?.classList.remove("quiet");
  if (!tools.hasChildNodes()) place?.remove();
  else if (!place) share.append(tools);
}

for (const code of document.querySelectorAll(".embedding textarea")) {
  code.addEventListener("focus", () => code.select());
  if (navigator.clipboard) {
    const tools = element("p", { class: "tools" });
    tools.append(...copyButton(say("Copy"), code.value));
    code.after(tools);
  }
}

// Removes a guest's list from the browser once it is saved, because others may use the browser, too.
if (document.querySelector("[data-saved]") || location.search.startsWith("?done=")) {
  try {
    localStorage.removeItem("my five");
  } catch {
    // Nothing is stored.
  }
}

// A link to a part that is folded opens it, in browsers that don't do so themselves.
function unfold() {
  const folded = location.hash && document.getElementById(location.hash.slice(1))?.closest("details");
  if (folded) folded.open = true;
}
addEventListener("hashchange", unfold);
unfold();

for (const input of document.querySelectorAll("form[data-adds] input[name=search]")) {
  new Suggestions(input, (game) => location.assign(`/me?add=${game.id}`));
}

for (const input of document.querySelectorAll('form[action="/games"] input[name="search"]')) {
  new Suggestions(input, (game) => location.assign(`/games/${game.id}`));
}

// Says “me too” without loading the page again. If that fails, the form is sent as without a script.
addEventListener("submit", async (event) => {
  const form = event.target.closest(".me-too");
  if (!form || event.defaultPrevented) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, event.submitter));
  try {
    const response = await fetch(form.action, { method: "POST", body });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const changed = response.ok && page.getElementById(form.id);
    if (!changed) throw new Error("no such comment");
    form.replaceWith(changed);
    changed.querySelector("button")?.focus({ preventScroll: true });
  } catch {
    form.append(element("input", { type: "hidden", name: "do", value: event.submitter.value }));
    form.submit();
  }
});

// A menu closes when people click elsewhere, or press Escape.
function closeMenus(except) {
  for (const menu of document.querySelectorAll(".dots[open]")) if (menu !== except) menu.open = false;
}
addEventListener("click", ({ target }) => closeMenus(target.closest("a") ? null : target.closest(".dots")));
addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.activeElement?.closest(".dots[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
