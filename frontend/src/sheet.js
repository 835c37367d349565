// Makes worked sheets live: a reader changes an input, and every number that follows from it,
// in the sheet and in the sentences around it, changes too. content/FORMAT.md states the data,
// the formulas and how a number is written; the build computes the same in Python.

const WORDS = [
  [1e12, "trillion"],
  [1e9, "billion"],
  [1e6, "million"],
];
const SUPERSCRIPTS = { "-": "⁻", ...Object.fromEntries([..."⁰¹²³⁴⁵⁶⁷⁸⁹"].entries()) };
const NBSP = "\u00a0";
const MOST_SQUARINGS = 64;
const POSITIONS = 400;
const QUIET_MS = 700;

const OPERATIONS = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => (b === 0 ? NaN : a / b),
  "^": power,
  neg: (a) => -a,
  min: Math.min,
  max: Math.max,
  ceil: Math.ceil,
  floor: Math.floor,
  round: (a) => Math.floor(a + 0.5),
  sqrt: Math.sqrt,
  log2: Math.log2,
  exp: Math.exp,
};

// Whole exponents by squaring: the build does the same, so both get the same float.
function power(a, b) {
  if (b !== Math.floor(b) || Math.abs(b) > MOST_SQUARINGS) return a ** b;
  let product = 1;
  let square = a;
  for (let left = Math.abs(b); left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) product *= square;
    square *= square;
  }
  if (b >= 0) return product;
  return product === 0 ? NaN : 1 / product;
}

/** The value of a compiled formula, in base units; NaN where it has no finite one. */
export function evaluate(ast, values) {
  if (typeof ast === "number") return ast;
  const [operator, ...operands] = ast;
  if (operator === "var") return values[operands[0]];
  const value = OPERATIONS[operator](...operands.map((operand) => evaluate(operand, values)));
  return Number.isFinite(value) ? value : NaN;
}

/** Every value of a sheet in base units; `inputs` gives each input in its own unit. */
export function valuesOf(data, inputs) {
  const values = {};
  for (const item of data.inputs) values[item.name] = inputs[item.name] * item.shown.factor;
  for (const result of data.results) values[result.name] = evaluate(result.ast, values);
  return values;
}

/** A value in base units as readers see it. */
export function written(value, shown) {
  if (!Number.isFinite(value)) return "—";
  const scaled = value / shown.factor;
  if (shown.words) {
    for (const [size, word] of WORDS) {
      if (Math.abs(scaled) >= size && Math.abs(scaled) < 1e15) {
        // A line may break before the unit, not between the number and its word.
        const unit = shown.many.replaceAll(NBSP, " ");
        return digitsOf(scaled / size, shown.digits) + NBSP + word + unit;
      }
    }
  }
  const text = digitsOf(scaled, shown.digits);
  return text + (text === "1" ? shown.one : shown.many);
}

function digitsOf(value, digits) {
  if (!Number.isFinite(value)) return "—";
  const sign = value < 0 ? "−" : "";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 1e6 && Number.isInteger(size)) return sign + parted(String(size));
  if (size >= 1e15 || size < 1e-4) {
    const [mantissa, exponent] = size.toExponential(digits - 1).split("e");
    const raised = [...String(Number(exponent))].map((mark) => SUPERSCRIPTS[mark]).join("");
    return `${sign}${Number(mantissa)}${NBSP}×${NBSP}10${raised}`;
  }
  return sign + parted(String(Number(size.toPrecision(digits))));
}

function parted(text) {
  const [whole, fraction] = text.split(".");
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction ? `${groups}.${fraction}` : groups;
}

/** A typed number: `1,000`, `70e9`, `70 billion`; NaN where it is none. */
export function typed(text) {
  const plain = text.trim().toLowerCase().replaceAll(",", "").replace("−", "-");
  const match = plain.match(/^(-?\d*\.?\d+(?:e[-+]?\d+)?)\s*([a-z]*)$/);
  if (!match) return NaN;
  const word = WORDS.find(([, name]) => name === match[2]);
  if (match[2] && !word) return NaN;
  return Number(match[1]) * (word ? word[0] : 1);
}

/** A value brought into an input's range, onto its step. */
export function fitted(value, item) {
  const within = Math.min(item.max, Math.max(item.min, value));
  if (!item.step) return within;
  const steps = Math.round((within - item.min) / item.step);
  // Twelve digits: 0.1 + 2 * 0.1 must read 0.3.
  return Math.min(item.max, Number((item.min + steps * item.step).toPrecision(12)));
}

/** The value at a slider's position, from 0 to POSITIONS, to three significant digits. */
export function valueAt(position, item) {
  if (position <= 0) return item.min;
  if (position >= POSITIONS) return item.max;
  const share = position / POSITIONS;
  const value = item.log
    ? item.min * (item.max / item.min) ** share
    : item.min + share * (item.max - item.min);
  return fitted(Number(value.toPrecision(3)), item);
}

/** The slider's position of a value. */
export function positionOf(value, item) {
  const share = item.log
    ? Math.log(value / item.min) / Math.log(item.max / item.min)
    : (value - item.min) / (item.max - item.min);
  return Math.round(share * POSITIONS);
}

function element(tag, attributes) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

class LiveSheet {
  constructor(section) {
    this.section = section;
    this.data = JSON.parse(section.querySelector(".sheet-data").textContent);
    this.given = Object.fromEntries(this.data.inputs.map((item) => [item.name, item.value]));
    this.inputs = { ...this.given };
    const scope = section.closest("[data-sheets]") ?? section.closest("article") ?? document.body;
    const entries = [...this.data.inputs, ...this.data.results];
    this.shown = entries.map((item) => ({
      ...item,
      places: [...scope.querySelectorAll(`.live[data-name="${item.name}"]`)],
    }));
    this.controls = this.data.inputs
      .filter((item) => item.min !== null)
      .map((item) => this.control(item));
    if (this.controls.length === 0) return;
    this.addFoot();
    section.classList.add("is-live");
  }

  control(item) {
    const row = this.section.querySelector(`[data-input="${item.name}"]`);
    const label = row.querySelector(".sheet-label").textContent;
    const slider = element("input", {
      type: "range",
      class: "sheet-slider",
      min: 0,
      max: POSITIONS,
      step: 1,
      autocomplete: "off",
      "aria-label": label,
    });
    const field = element("input", {
      type: "text",
      class: "sheet-field",
      inputmode: "decimal",
      autocomplete: "off",
      size: 8,
      "aria-label": `${label}, typed`,
    });
    const unit = element("span", { class: "sheet-unit" });
    unit.textContent = item.shown.many.trim();
    slider.addEventListener("input", () => this.set(item, valueAt(Number(slider.value), item)));
    field.addEventListener("input", () => this.take(item, field, label));
    field.addEventListener("change", () => this.show());
    row.querySelector(".sheet-control").append(slider);
    const value = row.querySelector(".sheet-value");
    value.querySelector(".live").hidden = true;
    value.append(field, unit);
    const control = { item, slider, field };
    this.place(control);
    return control;
  }

  addFoot() {
    this.reset = element("button", { type: "button", class: "sheet-reset" });
    this.reset.textContent = "Reset";
    this.reset.disabled = true;
    this.reset.addEventListener("click", () => {
      this.inputs = { ...this.given };
      this.problem.textContent = "";
      this.show();
    });
    this.status = element("p", { class: "sheet-status visually-hidden", role: "status" });
    this.problem = element("p", { class: "sheet-problem", role: "alert" });
    this.section.append(this.problem, this.reset, this.status);
  }

  // What does not fit is not taken, and leaving the field puts the last fitting value back: so say what would fit.
  take(item, field, label) {
    const value = typed(field.value);
    const isFit = value >= item.min && value <= item.max;
    field.setAttribute("aria-invalid", String(!isFit));
    if (isFit) {
      this.set(item, fitted(value, item), field);
    } else if (field.value.trim()) {
      const [least, most] = [item.min, item.max].map((end) =>
        written(end * item.shown.factor, item.shown),
      );
      this.problem.textContent = `${label}: a number from ${least} to ${most}`;
    }
  }

  set(item, value, typing = null) {
    this.inputs[item.name] = value;
    this.problem.textContent = "";
    this.show(typing);
  }

  // The field being typed in is left as it is; leaving it writes the value in full.
  show(typing = null) {
    const values = valuesOf(this.data, this.inputs);
    const given = valuesOf(this.data, this.given);
    for (const { name, shown, places } of this.shown) {
      const text = written(values[name], shown);
      for (const place of places) {
        place.textContent = text;
        place.classList.toggle("is-changed", values[name] !== given[name]);
      }
    }
    for (const control of this.controls) this.place(control, typing);
    this.reset.disabled = this.data.inputs.every(
      ({ name }) => this.inputs[name] === this.given[name],
    );
    this.announce(values);
  }

  place({ item, slider, field }, typing = null) {
    const value = this.inputs[item.name];
    const text = written(value * item.shown.factor, item.shown);
    slider.value = positionOf(value, item);
    slider.setAttribute("aria-valuetext", text);
    if (field === typing) return;
    field.value = written(value * item.shown.factor, { ...item.shown, one: "", many: "" });
    field.removeAttribute("aria-invalid");
  }

  // Once the reader pauses: a slider on its way would speak without end.
  announce(values) {
    clearTimeout(this.pause);
    this.pause = setTimeout(() => {
      const told = this.data.results.map(({ name, shown }) => {
        const row = this.section.querySelector(`[data-result="${name}"] .sheet-label`);
        return `${row.textContent}: ${written(values[name], shown)}`;
      });
      this.status.textContent = told.join("; ");
    }, QUIET_MS);
  }
}

if (typeof document !== "undefined") {
  for (const section of document.querySelectorAll(".sheet")) new LiveSheet(section);
}
