// Shows how far an import is, and what it has found once it's done. Only that is announced, and every
// tenth second how far it is.

import { element, say } from "./suggestions.js";

const status = element("p", { class: "hidden", role: "status" });
document.querySelector("main").append(status);

let pause = 2000;
let polls = 0;

async function follow() {
  const shown = document.querySelector(".bring");
  try {
    const response = await fetch(location.href);
    if (response.redirected) return location.reload();
    if (!response.ok) throw new Error(response.statusText);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const found = page.querySelector(".bring");
    const text = found.querySelector("#rows-done")?.textContent;
    if (text === undefined) {
      const hadFocus = shown.contains(document.activeElement);
      shown.replaceWith(found);
      if (hadFocus) document.querySelector("#import-title")?.focus();
      const notice = found.querySelector(".notice")?.innerText;
      status.textContent = notice ?? `${say("Done.")} ${found.querySelector(".tags")?.innerText ?? ""}`;
      return;
    }
    shown.querySelector("#rows-done").textContent = text;
    shown.querySelector("progress").value = found.querySelector("progress").value;
    if (++polls % 5 === 0) status.textContent = text;
    pause = 2000;
  } catch {
    // The server may be back soon.
    pause = Math.min(2 * pause, 30_000);
  }
  setTimeout(follow, pause);
}

setTimeout(follow, pause);
