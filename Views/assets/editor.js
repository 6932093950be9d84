// The page that edits one's list. Its buttons would send the form and get it back changed; here they
// change it at once, and only saving sends it.
import { cover, element, listed, say, Suggestions } from "./suggestions.js";

const storageKey = "my five";
const lifetime = 2 * 24 * 3600 * 1000;
const fields = ["platform", "comment", "rating", "tags"];

// The games that a guest has begun with in this browser, in the last days.
function recalled() {
  try {
    const { at, games } = JSON.parse(localStorage.getItem(storageKey)) ?? {};
    const isWhole = ({ id, name, platforms }) =>
      Number.isInteger(id) && typeof name === "string" && Array.isArray(platforms);
    return Date.now() - at < lifetime && Array.isArray(games) ? games.filter(isWhole).slice(0, 5) : [];
  } catch {
    // Nothing that can be read.
    return [];
  }
}

function forget() {
  try {
    localStorage.removeItem(storageKey);
  } catch {
    // Nothing is stored.
  }
}

class Editor {
  constructor(form) {
    this.form = form;
    this.list = form.querySelector("[data-slots]");
    this.blank = document.querySelector("[data-blank]");
    this.said = form.querySelector("[data-said]");
    this.isChanged = "unsaved" in form.dataset;
    this.isGuest = "guest" in form.dataset;
    // The platforms that were chosen on this page, the last one first.
    this.chosen = [];
    this.adding = form.querySelector("[data-labels]");
    this.input = form.querySelector("[name=search]");
    form.addEventListener("input", ({ target }) => {
      if (target === this.input) return;
      this.isChanged = true;
      if (target.name === "comment") this.preview(target.closest("[data-slot]"));
      if (target.name === "platform" && target.value) this.chosen.unshift(target.value);
      this.keep();
    });
    form.addEventListener("click", (event) => {
      const button = event.target.closest("button[name=do]");
      if (button && this.act(button.value.split(":")[0], button)) event.preventDefault();
    });
    form.addEventListener("submit", () => (this.isSent = true));
    addEventListener("pageshow", () => (this.isSent = false));
    addEventListener("beforeunload", (event) => {
      if (this.isChanged && !this.isSent && !this.isGuest) event.preventDefault();
    });
    // Another tab's changes are not overwritten; this one gets them when it is loaded again.
    addEventListener("storage", (event) => {
      if (event.key === storageKey) this.isOutdated = true;
    });
    for (const slot of this.slots) this.equip(slot);
    // The response to a form has all that was in it, and what the browser has stored may be older.
    if (this.isGuest && "response" in form.dataset) this.markGuesses();
    else if (this.isGuest) this.recall();
    else if (!("draft" in form.dataset)) this.offer();
    for (const slot of this.remaining) {
      const isNext = document.activeElement?.name === "platform" && slot.contains(document.activeElement);
      const chooser = this.offerPlatforms(slot);
      if (isNext) chooser.focus();
    }
    // A guest's list may be full once what the browser has stored is on it.
    if (this.remaining.length >= 5 && document.activeElement === this.input && !this.input.value) this.next();
    new Suggestions(this.input, (game) => {
      this.input.value = "";
      this.add(game);
    });
  }

  get slots() { return [...this.list.querySelectorAll("[data-slot]")]; }
  get remaining() { return this.slots.filter((slot) => !slot.classList.contains("is-removed")); }

  name(slot) { return slot.querySelector(".title [data-name]").textContent; }

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
        if (this.remaining.length >= 5) return false;
        this.remove(slot, false);
        return true;
    }
    return false;
  }

  step(slot, step, focused) {
    const remaining = this.remaining;
    const other = remaining[remaining.indexOf(slot) + step];
    if (!other) return;
    this.showing([slot, other], () => (step < 0 ? other.before(slot) : other.after(slot)));
    this.changed();
    // A moved element loses the focus, and a button at the end is disabled.
    (focused.disabled ? slot.querySelector(".grip") : focused).focus();
    this.place(slot);
  }

  // Moves elements, and lets people see how they change places.
  showing(moved, move) {
    const tops = moved.map((element) => element.getBoundingClientRect().top);
    move();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    moved.forEach((element, index) => {
      const offset = tops[index] - element.getBoundingClientRect().top;
      element.animate(
        [{ transform: `translateY(${offset}px)` }, { transform: "none" }], { duration: 200, easing: "ease-out" });
    });
  }

  place(slot) {
    this.say(say("{game} is now number {place} of {count}.", {
      game: this.name(slot), place: this.remaining.indexOf(slot) + 1, count: this.remaining.length,
    }));
  }

  remove(slot, isRemoved) {
    slot.classList.toggle("is-removed", isRemoved);
    slot.querySelector("[name=removed]").value = isRemoved ? "1" : "";
    slot.querySelector(".entry").hidden = isRemoved;
    slot.querySelector(".undo").hidden = !isRemoved;
    this.changed();
    slot.querySelector(isRemoved ? ".undo button" : ".grip").focus();
    const game = this.name(slot);
    this.say(isRemoved ? say("Removed {game}. You can undo this.", { game }) : say("{game} is back.", { game }));
  }

  add(game) {
    if (this.remaining.length >= 5) {
      // The server asks which one is to make room.
      const button = element("button", { name: "do", value: `add:${game.id}` });
      button.hidden = true;
      this.form.append(button);
      button.click();
      return;
    }
    const slot = this.put(game);
    const select = this.guessPlatform(slot);
    this.changed();
    slot.scrollIntoView({ block: "nearest" });
    if (select.value) this.next(); else this.offerPlatforms(slot).focus();
    const platform = select.value && select.selectedOptions[0].text;
    const values = { game: game.name, place: this.remaining.length, platform };
    this.say(
      !platform ? say("Added {game} as number {place}. Choose its platform.", values)
        : slot.querySelector(".guess") ? say("Added {game} as number {place}, on {platform}, our guess.", values)
        : say("Added {game} as number {place}, on {platform}.", values));
  }

  // Chooses the platform that was chosen last, if the game is on it, or the only one there is.
  guessPlatform(slot) {
    const select = slot.querySelector("[name=platform]");
    const game = (other) => other.querySelector("[name=game]").value;
    const platform = (other) => other.querySelector("[name=platform]").value;
    const others = this.remaining.filter((other) => other !== slot).reverse();
    // A game can be on the list for several platforms, but once for each.
    const taken = others.filter((other) => game(other) === game(slot)).map(platform);
    const ids = [...select.options].map(({ value }) => value).filter((id) => id && !taken.includes(id));
    if (select.value) return select;
    select.value = [...this.chosen, ...others.map(platform)].find((id) => ids.includes(id)) ?? (ids.length === 1 ? ids[0] : "");
    if (select.value && ids.length > 1) this.markGuess(slot);
    return select;
  }

  // Marks the platforms that were guessed before a form was sent, and keeps the list.
  markGuesses() {
    const guesses = new Map(recalled().filter(({ isGuess }) => isGuess)
      .map(({ id, fields: { platform } }) => [String(id), platform]));
    for (const slot of this.remaining) {
      const platform = guesses.get(slot.querySelector("[name=game]").value);
      if (platform && platform === slot.querySelector("[name=platform]").value) this.markGuess(slot);
    }
    this.keep();
  }

  // Says that a platform was guessed, until someone has been at its field.
  markGuess(slot) {
    const select = slot.querySelector("[name=platform]");
    const mark = element("span", { class: "meta guess", id: `${select.id}-guess` }, "our guess");
    select.after(mark);
    select.setAttribute("aria-describedby", mark.id);
    const end = new AbortController();
    for (const name of ["input", "blur"]) {
      select.addEventListener(name, () => {
        end.abort();
        mark.remove();
        select.removeAttribute("aria-describedby");
        this.keep();
      }, { signal: end.signal });
    }
  }

  // Offers a few platforms as buttons, which take one tap instead of two.
  //
  // Returns what the platform can be chosen with.
  offerPlatforms(slot) {
    const select = slot.querySelector("[name=platform]");
    const options = [...select.options].filter(({ value }) => value);
    if (select.value || select.ariaInvalid || !options.length || options.length > 8) return select;
    const offer = element("div", { class: "links", role: "group", "aria-label": select.labels[0].textContent });
    offer.append(element("p", { "aria-hidden": "true" }, select.options[0].text), ...options.map(({ value, text }) => {
      const button = element("button", { type: "button", class: "quiet" }, text);
      button.addEventListener("click", () => {
        select.value = value;
        select.dispatchEvent(new Event("input", { bubbles: true }));
        select.hidden = false;
        offer.remove();
        this.next();
        this.say(`${this.name(slot)}: ${text}`);
      });
      return button;
    }));
    select.hidden = true;
    select.after(offer);
    return offer.querySelector("button");
  }

  // Goes on to what is to be done next: to the next game, or to the first one without a reason.
  next() {
    if (this.remaining.length < 5) return this.input.focus();
    const slot = this.remaining.find((slot) => !slot.querySelector("[name=comment]").value.trim());
    if (slot) this.write(slot); else this.form.querySelector("[value=save]").focus();
  }

  // Unfolds the field of a reason, to write on.
  write(slot) {
    slot.querySelector(".why-field").open = true;
    const field = slot.querySelector("[name=comment]");
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
    // WebKit shows only the line that is written on.
    field.scrollIntoView({ block: "nearest" });
  }

  // Adds an entry for a game at the end.
  put(game) {
    // The form holds at most ten slots. The slot that was removed first makes room.
    if (this.slots.length >= 10) this.list.querySelector(".is-removed")?.remove();
    const keys = this.slots.map((slot) => Number(/^entry-new-(\d+)$/.exec(slot.id)?.[1] ?? 0));
    const key = `new-${Math.max(0, ...keys) + 1}`;
    const slot = this.blank.content.firstElementChild.cloneNode(true);
    for (const part of [slot, ...slot.querySelectorAll("*")]) {
      for (const { name, value } of [...part.attributes]) {
        if (["id", "for", "aria-labelledby", "aria-describedby"].includes(name)) {
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
    slot.querySelector("[data-year]").textContent = game.releaseYear ?? "";
    slot.querySelector(".frame").replaceChildren(cover(game));
    slot.querySelector("[name=platform]")
      .append(...game.platforms.map((platform) => new Option(platform.shortName ?? platform.name, platform.id)));
    this.list.append(slot);
    this.equip(slot);
    return slot;
  }

  changed() {
    this.isChanged = true;
    const remaining = this.remaining;
    remaining.forEach((slot, index) => {
      for (const number of slot.querySelectorAll("[data-number]")) number.textContent = index + 1;
      slot.querySelector("[value^='up:']").disabled = index === 0;
      slot.querySelector("[value^='down:']").disabled = index === remaining.length - 1;
    });
    const places = this.form.querySelector("[data-places]");
    places.replaceChildren(...[1, 2, 3, 4, 5].slice(remaining.length).map((number) =>
      element("a", { href: "#find", tabindex: "-1" }, number)));
    this.adding.classList.toggle("is-full", remaining.length >= 5);
    this.adding.querySelector("label").textContent = this.adding.dataset.labels.split("|")[remaining.length];
    this.keep();
  }

  // Wakes the handle to drag an entry by, which arrow keys move, too, and lets people write where they unfold.
  equip(slot) {
    const grip = slot.querySelector(".grip");
    grip.disabled = false;
    grip.addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.step(slot, step, grip);
    });
    grip.addEventListener("pointerdown", (event) => {
      if (event.button === 0) new Drag(this, slot, grip, event);
    });
    slot.querySelector(".why-field > summary").addEventListener("click", (event) => {
      if (slot.querySelector(".why-field").open) return;
      event.preventDefault();
      this.write(slot);
    });
  }

  // The game of an entry, with what was typed about it.
  read(slot) {
    return {
      id: Number(slot.querySelector("[name=game]").value),
      name: this.name(slot),
      releaseYear: Number(slot.querySelector("[data-year]").textContent) || null,
      coverUrl: slot.querySelector(".frame img")?.getAttribute("src"),
      platforms: [...slot.querySelector("[name=platform]").options]
        .filter((option) => option.value).map(({ value, text }) => ({ id: Number(value), name: text })),
      fields: Object.fromEntries(fields.map((name) => [name, slot.querySelector(`[name=${name}]`).value])),
      isGuess: slot.querySelector(".guess") !== null,
    };
  }

  // A guest's list is stored in the browser, so that it is there again tomorrow.
  keep() {
    if (!this.isGuest || this.isOutdated) return;
    try {
      const games = this.remaining.map((slot) => this.read(slot));
      localStorage.setItem(storageKey, JSON.stringify({ at: Date.now(), games }));
    } catch {
      // The browser stores nothing. The form still holds the list until the page is closed.
    }
  }

  // Restores a guest's list from the browser's storage. If one game too many is on it, the server
  // offers to swap it for another.
  recall() {
    const stored = recalled();
    const drawn = this.remaining;
    // The slot that the page has for a stored game; each is taken once, since a game can be on the
    // list for several platforms.
    const slots = stored.map(({ id }) => {
      const index = drawn.findIndex((slot) => Number(slot.querySelector("[name=game]").value) === id);
      return index < 0 ? null : drawn.splice(index, 1)[0];
    });
    const added = drawn;
    const surplus = stored.length + added.length > 5 ? added.pop() : null;
    const game = surplus && this.read(surplus);
    surplus?.remove();
    stored.forEach((game, index) => {
      this.restore((slots[index] ??= this.put(game)), game);
    });
    // The stored order, and then what is new. A node that is in its place is not moved: it would lose
    // the focus.
    [...slots, ...added].forEach((slot, index) => {
      if (this.slots[index] !== slot) this.slots[index].before(slot);
    });
    for (const slot of added) this.guessPlatform(slot);
    if (stored.length > 0) this.changed(); else this.keep();
    // Reloading must not add the game a second time.
    if (location.search.includes("add=")) history.replaceState(null, "", "/me");
    if (game) this.add(game);
  }

  // Offers the list that a guest began in this browser to someone who has signed in since. The
  // guest may have been another person.
  offer() {
    const here = new Set(this.slots.map((slot) => Number(slot.querySelector("[name=game]").value)));
    const games = recalled().filter(({ id }) => !here.has(id));
    if (games.length === 0) return;
    const notice = element("p", { class: "notice" },
      `${say("Before you signed in you picked {games}.", { games: listed(games.map(({ name }) => name)) })} `);
    const add = element("button", { type: "button", class: "quiet" }, say("Add"));
    const discard = element("button", { type: "button", class: "quiet" }, say("Discard"));
    add.addEventListener("click", () => {
      for (const game of games) this.restore(this.put(game), game);
      this.changed();
      notice.remove();
      this.say(say("Added: {games}. Your list isn’t saved yet.", { games: listed(games.map(({ name }) => name)) }));
    });
    discard.addEventListener("click", () => {
      forget();
      notice.remove();
    });
    notice.append(add, " ", discard);
    this.form.before(notice);
  }

  restore(slot, game) {
    this.fill(slot, game.fields);
    if (game.isGuess) this.markGuess(slot);
  }

  fill(slot, values = {}) {
    for (const name of fields) {
      if (values[name]) slot.querySelector(`[name=${name}]`).value = values[name];
    }
    slot.querySelector(".why-field details").open ||= Boolean(values.rating || values.tags);
    this.preview(slot);
  }

  // Shows how a comment begins while its field is folded.
  preview(slot) {
    slot.querySelector("[data-why]").textContent = slot.querySelector("[name=comment]").value.trim();
  }
}

// Moves an entry with the pointer. It stays under the pointer, and the page scrolls when that comes
// near its edge.
class Drag {
  constructor(editor, slot, grip, { pointerId, clientY }) {
    Object.assign(this, { editor, slot, grip, pointerId });
    this.y = clientY;
    // Rows are moved, and not the fields that are unfolded in them.
    const top = slot.getBoundingClientRect().top;
    this.hold = clientY - top;
    editor.list.classList.add("is-sorting");
    scrollBy({ top: slot.getBoundingClientRect().top - top, behavior: "instant" });
    this.before = editor.remaining.indexOf(slot);
    this.capture();
    slot.classList.add("dragged");
    const end = new AbortController();
    const listening = { signal: end.signal };
    addEventListener("pointermove", (event) => {
      if (event.pointerId === pointerId) this.y = event.clientY;
    }, listening);
    for (const name of ["pointerup", "pointercancel"]) {
      addEventListener(name, (event) => {
        if (event.pointerId !== pointerId) return;
        end.abort();
        cancelAnimationFrame(this.frame);
        this.follow();
        slot.style.transform = "";
        slot.classList.remove("dragged");
        editor.list.classList.remove("is-sorting");
        if (editor.remaining.indexOf(slot) !== this.before) editor.place(slot);
      }, listening);
    }
    this.next();
  }

  // An element that moves in the document loses its pointer capture.
  capture() {
    try {
      if (!this.grip.hasPointerCapture(this.pointerId)) this.grip.setPointerCapture(this.pointerId);
    } catch {
      // The pointer is gone.
    }
  }

  next() {
    this.frame = requestAnimationFrame(() => {
      const edge = 90;
      const over = Math.min(0, this.y - edge) + Math.max(0, this.y - innerHeight + edge);
      if (over) scrollBy({ top: over / 4, behavior: "instant" });
      this.follow();
      this.next();
    });
  }

  follow() {
    const { slot, editor } = this;
    const middle = (box) => box.top + box.height / 2;
    const top = this.y - this.hold;
    const own = top + slot.offsetHeight / 2;
    const others = editor.remaining.filter((other) => other !== slot);
    const index = others.filter((other) => middle(other.getBoundingClientRect()) < own).length;
    if (index !== editor.remaining.indexOf(slot)) {
      if (index < others.length) others[index].before(slot); else others.at(-1).after(slot);
      this.capture();
      editor.changed();
    }
    slot.style.transform = "";
    slot.style.transform = `translateY(${top - slot.getBoundingClientRect().top}px)`;
  }
}

for (const form of document.querySelectorAll("form[data-editor]")) new Editor(form);
