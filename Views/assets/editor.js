// The page that edits one's list. Its buttons would send the form and get it back changed; here they
// change it at once, and only saving sends it.
import { cover, element, Suggestions } from "./suggestions.js";

class Editor {
  constructor(form) {
    this.form = form;
    this.list = form.querySelector("[data-slots]");
    this.blank = document.querySelector("[data-blank]");
    this.said = form.querySelector("[data-said]");
    this.isChanged = "unsaved" in form.dataset;
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
    // A form holds so many, and those that were removed first can be spared.
    if (this.slots.length >= 10) this.list.querySelector(".is-removed")?.remove();
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
    slot.querySelector(".frame").replaceChildren(cover(game));
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

  // Wakes the handle to drag an entry by; arrow keys move it, too.
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

for (const form of document.querySelectorAll("form[data-editor]")) new Editor(form);
