// What makes the pages more pleasant. Without it everything works by forms and links.

const delay = 150;
const limit = 8;
// What stands for itself needs no word.
const kinds = {
  edition: "Edition", dlc: "DLC", expansion: "Expansion", bundle: "Bundle", mod: "Mod",
  episode: "Episode", season: "Season", remake: "Remake", remaster: "Remaster", port: "Port",
  pack: "Pack", update: "Update", other: "Other",
};
let count = 0;

function element(name, attributes = {}, text = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

// Suggests games while somebody types into a search box, as the combobox pattern of the ARIA
// Authoring Practices describes.
class Suggestions {
  constructor(input, choose) {
    this.input = input;
    this.choose = choose;
    this.timer = 0;
    this.request = null;
    this.games = [];
    this.index = -1;
    const id = `suggestions-${++count}`;
    this.list = element("ul", { id, role: "listbox", class: "suggestions", hidden: "" });
    this.list.setAttribute("aria-label", "Games");
    this.status = element("p", { role: "status", class: "hidden" });
    for (const [key, value] of Object.entries({
      role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id,
    })) input.setAttribute(key, value);
    input.after(this.list, this.status);
    input.addEventListener("input", () => this.typed());
    input.addEventListener("keydown", (event) => this.pressed(event));
    input.addEventListener("blur", () => this.close());
    this.list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.pick(Number(option.dataset.index));
    });
  }

  typed() {
    clearTimeout(this.timer);
    this.request?.abort();
    const text = this.input.value.trim();
    if (text.length < 2) return this.close();
    this.timer = setTimeout(() => this.ask(text), delay);
  }

  async ask(text) {
    const request = (this.request = new AbortController());
    try {
      const query = new URLSearchParams({ search: text, limit });
      const response = await fetch(`/api/v1/games?${query}`, { signal: request.signal });
      if (!response.ok) return this.close();
      const { games } = await response.json();
      if (document.activeElement === this.input) this.show(games);
    } catch (error) {
      // Aborted by the next letter, or the network is gone: the form works without this.
      if (error.name !== "AbortError") this.close();
    }
  }

  show(games) {
    this.games = games;
    this.index = -1;
    this.list.replaceChildren(...games.map((game, index) => {
      const option = element("li", {
        role: "option", id: `${this.list.id}-${index}`, "aria-selected": "false",
        "data-index": index,
      });
      option.append(element("bdi", {}, game.name));
      const more = [
        kinds[game.kind],
        game.releaseYear,
        game.platforms.slice(0, 3).map((platform) => platform.abbreviation ?? platform.name).join(", "),
      ].filter(Boolean).join(" · ");
      if (more) option.append(" ", element("small", {}, more));
      return option;
    }));
    const isOpen = games.length > 0;
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
    this.input.removeAttribute("aria-activedescendant");
    this.status.textContent =
      games.length === 0 ? "No game found" : games.length === 1 ? "1 game" : `${games.length} games`;
  }

  close() {
    clearTimeout(this.timer);
    this.request?.abort();
    this.games = [];
    this.index = -1;
    this.list.hidden = true;
    this.status.textContent = "";
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  move(step) {
    const options = [...this.list.children];
    // One place more than there are options: the text that was typed.
    const places = options.length + 1;
    this.index = ((this.index + 1 + step + places) % places) - 1;
    options.forEach((option, index) =>
      option.setAttribute("aria-selected", String(index === this.index)));
    const option = options[this.index];
    if (option) {
      this.input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else {
      this.input.removeAttribute("aria-activedescendant");
    }
  }

  pick(index) {
    const game = this.games[index];
    if (!game) return;
    this.close();
    this.choose(game);
  }

  pressed(event) {
    if (this.list.hidden || event.isComposing) return;
    switch (event.key) {
      case "ArrowDown": this.move(1); break;
      case "ArrowUp": this.move(-1); break;
      case "Enter":
        if (this.index < 0) return;
        this.pick(this.index);
        break;
      case "Escape": this.close(); break;
      default: return;
    }
    event.preventDefault();
  }
}

// The page that edits one's list. Its buttons would send the form and get it back changed; here they
// change it at once, and only saving sends it.
class Editor {
  constructor(form) {
    this.form = form;
    this.list = form.querySelector("[data-slots]");
    this.blank = document.querySelector("[data-blank]");
    this.said = form.querySelector("[data-said]");
    this.isChanged = document.querySelector(".notice[role=alert]") !== null;
    form.addEventListener("input", (event) => {
      if (event.target.name !== "search") this.isChanged = true;
    });
    form.addEventListener("click", (event) => {
      const button = event.target.closest("button[name=do]");
      if (button && this.act(button.value.split(":")[0], button)) event.preventDefault();
    });
    form.addEventListener("submit", () => (this.isSent = true));
    addEventListener("beforeunload", (event) => {
      if (this.isChanged && !this.isSent) event.preventDefault();
    });
    for (const slot of this.slots) this.equip(slot);
    const input = form.querySelector("[name=search]");
    new Suggestions(input, (game) => {
      input.value = "";
      this.add(game);
    });
  }

  get slots() { return [...this.list.querySelectorAll("[data-slot]")]; }
  get kept() { return this.slots.filter((slot) => !slot.classList.contains("is-removed")); }

  name(slot) { return slot.querySelector("legend [data-name]").textContent; }

  say(text) { this.said.textContent = text; }

  // Whether there is nothing left to send.
  act(verb, button) {
    const slot = button.closest("[data-slot]");
    if (!slot) return false;
    switch (verb) {
      case "up": this.step(slot, -1, button); return true;
      case "down": this.step(slot, 1, button); return true;
      case "remove": this.remove(slot, true); return true;
      case "restore":
        // The server says kindly why not.
        if (this.kept.length >= 5) return false;
        this.remove(slot, false);
        return true;
    }
    return false;
  }

  step(slot, step, focused) {
    const kept = this.kept;
    const other = kept[kept.indexOf(slot) + step];
    if (!other) return;
    if (step < 0) other.before(slot); else other.after(slot);
    this.changed();
    // A moved element loses the focus, and a button at the end is disabled.
    (focused.disabled ? slot.querySelector(".grip") : focused).focus();
    this.place(slot);
  }

  place(slot) {
    this.say(`${this.name(slot)} is now number ${this.kept.indexOf(slot) + 1} of ${this.kept.length}.`);
  }

  remove(slot, isRemoved) {
    slot.classList.toggle("is-removed", isRemoved);
    slot.querySelector("[name=removed]").value = isRemoved ? "1" : "";
    slot.querySelector("fieldset").hidden = isRemoved;
    slot.querySelector(".undo").hidden = !isRemoved;
    this.changed();
    slot.querySelector(isRemoved ? ".undo button" : ".grip").focus();
    this.say(isRemoved ? `${this.name(slot)} is removed. Undo brings it back.` : `${this.name(slot)} is back.`);
  }

  add(game) {
    if (this.kept.length >= 5) {
      // The server asks which one shall make room.
      const button = element("button", { name: "do", value: `add:${game.id}` });
      button.hidden = true;
      this.form.append(button);
      button.click();
      return;
    }
    const keys = this.slots.map((slot) => Number(/^entry-new-(\d+)$/.exec(slot.id)?.[1] ?? 0));
    const key = `new-${Math.max(0, ...keys) + 1}`;
    const slot = this.blank.content.firstElementChild.cloneNode(true);
    for (const part of [slot, ...slot.querySelectorAll("*")]) {
      for (const { name, value } of [...part.attributes]) {
        if (["id", "for", "aria-describedby"].includes(name)) {
          part.setAttribute(name, value.replace(/-new$/, `-${key}`));
        } else if (name === "value" && part.name === "do") {
          part.setAttribute(name, value.replace(/:new$/, `:${key}`));
        } else if (name === "formaction") {
          part.setAttribute(name, `/me#entry-${key}`);
        }
      }
    }
    slot.querySelector("[name=entry]").value = key;
    slot.querySelector("[name=game]").value = game.id;
    for (const name of slot.querySelectorAll("[data-name]")) name.textContent = game.name;
    slot.querySelector(".frame").replaceChildren(
      game.coverUrl
        ? element("img", { class: "cover", src: game.coverUrl, width: 90, height: 120, alt: "" })
        : element("span", { class: `cover hue-${game.id % 8}` }));
    const select = slot.querySelector("[name=platform]");
    select.append(...game.platforms.map((platform) => new Option(platform.name, platform.id)));
    if (game.platforms.length === 1) select.value = game.platforms[0].id;
    this.list.append(slot);
    this.equip(slot);
    this.changed();
    select.focus();
    slot.scrollIntoView({ block: "nearest" });
    this.say(`${game.name} is number ${this.kept.length}. Choose its platform.`);
  }

  changed() {
    this.isChanged = true;
    const kept = this.kept;
    kept.forEach((slot, index) => {
      slot.querySelector("[data-number]").textContent = index + 1;
      slot.querySelector("[value^='up:']").disabled = index === 0;
      slot.querySelector("[value^='down:']").disabled = index === kept.length - 1;
    });
    this.form.querySelector("[data-empty]").hidden = this.slots.length > 0;
  }

  // While one is dragged, each is one row, and that one stays where the pointer holds it.
  sort(isSorting, slot) {
    const top = slot.getBoundingClientRect().top;
    this.list.classList.toggle("is-sorting", isSorting);
    scrollBy({ top: slot.getBoundingClientRect().top - top, behavior: "instant" });
  }

  // Gives an entry a handle to drag it by; arrow keys move it, too.
  equip(slot) {
    const grip = element("button", { type: "button", class: "grip quiet" });
    const symbol = element("span", { "aria-hidden": "true" }, "⠿");
    const label = element("span", { class: "hidden" }, `Drag ${this.name(slot)}, or move it with the arrow keys`);
    grip.append(symbol, label);
    slot.querySelector(".moves").prepend(grip);
    grip.addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.step(slot, step, grip);
    });
    grip.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const before = this.kept.indexOf(slot);
      grip.setPointerCapture(event.pointerId);
      slot.classList.add("dragged");
      this.sort(true, slot);
      const move = ({ clientY }) => {
        const others = this.kept.filter((other) => other !== slot);
        const isBelow = (other) => {
          const box = other.getBoundingClientRect();
          return clientY > box.top + box.height / 2;
        };
        const index = others.filter(isBelow).length;
        if (index === this.kept.indexOf(slot)) return;
        if (index < others.length) others[index].before(slot); else others.at(-1).after(slot);
        // What is moved in the document lets go of the pointer.
        if (!grip.hasPointerCapture(event.pointerId)) grip.setPointerCapture(event.pointerId);
        this.changed();
      };
      const end = () => {
        removeEventListener("pointermove", move);
        removeEventListener("pointerup", end);
        removeEventListener("pointercancel", end);
        slot.classList.remove("dragged");
        this.sort(false, slot);
        if (this.kept.indexOf(slot) !== before) this.place(slot);
      };
      addEventListener("pointermove", move);
      addEventListener("pointerup", end);
      addEventListener("pointercancel", end);
    });
  }
}

// A button that copies a text, and says so to those who do not see it change.
function copyButton(label, text) {
  const button = element("button", { type: "button", class: "quiet" }, label);
  const status = element("span", { role: "status" });
  let timer = 0;
  button.addEventListener("click", async () => {
    clearTimeout(timer);
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = "Copied";
    } catch {
      // The browser does not allow it: the text stands there to be selected.
      status.textContent = "Not copied";
    }
    timer = setTimeout(() => (status.textContent = ""), 4000);
  });
  return [button, " ", status];
}

function shareButton(data) {
  const button = element("button", { type: "button", class: "quiet" }, "Share…");
  button.addEventListener("click", () =>
    // Whoever closes the sheet has changed their mind: that is no error.
    navigator.share(data).catch(() => {}));
  return button;
}

for (const share of document.querySelectorAll(".share")) {
  const url = share.querySelector("a").href;
  const tools = element("span", { class: "tools" });
  if (navigator.share) tools.append(shareButton({ title: document.title, url }), " ");
  // Only where the page came by TLS, or from this very machine.
  if (navigator.clipboard) tools.append(...copyButton("Copy link", url));
  if (tools.hasChildNodes()) share.append(tools);
}

for (const code of document.querySelectorAll(".embedding textarea")) {
  code.addEventListener("focus", () => code.select());
  if (navigator.clipboard) {
    const tools = element("p", { class: "tools" });
    tools.append(...copyButton("Copy", code.value));
    code.after(tools);
  }
}

for (const input of document.querySelectorAll('form[action="/games"] input[name="search"]')) {
  new Suggestions(input, (game) => location.assign(`/games/${game.id}`));
}
for (const form of document.querySelectorAll("form[data-editor]")) new Editor(form);
