// Suggests games while someone types into a search box, as the combobox pattern of the ARIA
// Authoring Practices describes.

const delay = 150;
const limit = 8;
// A main game needs no word.
const kinds = {
  edition: "Edition", dlc: "DLC", expansion: "Expansion", bundle: "Bundle", mod: "Mod",
  episode: "Episode", season: "Season", remake: "Remake", remaster: "Remaster", port: "Port",
  pack: "Pack", update: "Update", other: "Other",
};
let count = 0;

// The page's words, by the English words in scripts. A page in English contains none.
const words = JSON.parse(document.querySelector("#script-words")?.textContent ?? "{}");

// Words in the language of the page, with their values.
export const say = (text, values = {}) =>
  (words[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => values[name]);

// Names with the commas of the page's language between them.
export const listed = (names) => names.join(words[", "] ?? ", ");

export function element(name, attributes = {}, text = "") {
  const made = ["svg", "text"].includes(name)
    ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

const commonWords = "a an and at de der for in la le of on the to".split(" ");

// The same initials as on the server's placeholders.
function initials(name) {
  const words = name.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const telling = words.filter((word) => !commonWords.includes(word.toLowerCase()));
  return (telling.length ? telling : words).slice(0, 3)
    .map((word) => [...new Intl.Segmenter().segment(word)][0].segment.toUpperCase()).join("");
}

// A game of a response, with the name that the page's language has for it.
function inPageLanguage(game) {
  const { lang } = document.documentElement;
  const localized = game.localizedNames.find(({ language }) => language === lang);
  return { ...game, name: localized?.name ?? game.name, mainName: game.name };
}

// A cover over its placeholder, which stays if the picture can't be had.
export function cover(game) {
  const frame = element("span", { class: "picture" });
  const placeholder = element("svg", { class: `cover hue-${game.id % 8}`, viewBox: "0 0 60 80", "aria-hidden": "true" });
  placeholder.append(element("text", { x: "30", y: "41" }, initials(game.mainName ?? game.name)));
  frame.append(placeholder);
  if (game.coverUrl) {
    const image = element("img", { src: game.coverUrl, alt: "" });
    frame.append(image);
  }
  return frame;
}

export class Suggestions {
  constructor(input, choose) {
    this.input = input;
    this.choose = choose;
    this.timer = 0;
    this.request = null;
    this.games = [];
    this.index = -1;
    const id = `suggestions-${++count}`;
    this.list = element("ul", { id, role: "listbox", class: "suggestions", hidden: "" });
    this.list.setAttribute("aria-label", say("Games"));
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
      if (document.activeElement === this.input) this.show(games.map(inPageLanguage));
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
      const words = element("span");
      words.append(element("bdi", {}, game.name));
      const other = [game.foundName, game.mainName].find((name) => name && name !== game.name);
      if (other) words.append(" ", element("bdi", { class: "meta" }, other));
      const more = [
        game.kind in kinds && say(kinds[game.kind]),
        game.releaseYear,
        listed(game.platforms.slice(0, 3).map((platform) => platform.shortName)),
      ].filter(Boolean).join(" · ");
      if (more) words.append(" ", element("small", {}, more));
      option.append(cover(game), words);
      return option;
    }));
    const isOpen = games.length > 0;
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
    this.input.removeAttribute("aria-activedescendant");
    this.status.className = isOpen ? "hidden" : "suggestions";
    this.status.textContent = !isOpen
      ? say("No games found. Try fewer letters.") : say("Games found: {count}", { count: games.length });
  }

  close() {
    clearTimeout(this.timer);
    this.request?.abort();
    this.games = [];
    this.index = -1;
    this.list.hidden = true;
    this.status.className = "hidden";
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
    if (event.key === "Escape" && this.status.className !== "hidden") {
      this.close();
      return event.preventDefault();
    }
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
