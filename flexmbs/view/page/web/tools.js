// Small tools of the user's interface: elements, gestures, numbers, histories, files.

// An element with properties and children; null and false are left out.
flexmbs.make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child != null && child !== false));
  return element;
};

// A button with an icon (path in a square of 16) and a tooltip, which is its accessible name too.
flexmbs.button = (title, path, onclick) => {
  const button = flexmbs.make("button", {type: "button", title, ariaLabel: title, onclick});
  button.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg>`;
  return button;
};

// Mouse, pen and touch: on.drag(dx, dy, event), on.pinch(factor, x, y, dx, dy), on.tap(x, y), on.hover(x | null),
// on.wheel(factor, x, y); lengths in CSS pixels, places from the element's corner.
flexmbs.gestures = (element, on) => {
  const pointers = new Map();
  let moved = 0;
  const place = (event) => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const apart = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) || 1;
  element.onpointerdown = (event) => {
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event);
    moved = pointers.size > 1 ? Infinity : 0;
  };
  element.onpointermove = (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return on.hover?.(place(event)[0]);
    pointers.set(event.pointerId, event);
    const [dx, dy] = [event.clientX - last.clientX, event.clientY - last.clientY];
    const other = [...pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
    moved += Math.abs(dx) + Math.abs(dy);
    if (other) on.pinch(apart(event, other) / apart(last, other), ...place(other), dx / 2, dy / 2);
    else if (moved > 3) on.drag(dx, dy, event, ...place(event));
  };
  element.onpointerup = element.onpointercancel = (event) => {
    if (pointers.delete(event.pointerId) && moved <= 3 && event.type === "pointerup" && !event.button)
      on.tap(...place(event));
  };
  element.onpointerleave = () => on.hover?.(null);
  element.oncontextmenu = (event) => event.preventDefault();
  const wheel = (event) => on.wheel(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...place(event), event);
  element.addEventListener("wheel", wheel, {passive: false});
};

// The 2D context of a canvas, cleared, as large as it is shown: {context, width, height} in CSS pixels.
flexmbs.fitted = (canvas) => {
  const [width, height, ratio] = [canvas.clientWidth, canvas.clientHeight, devicePixelRatio];
  Object.assign(canvas, {width: Math.round(width * ratio), height: Math.round(height * ratio)});
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  return {context, width, height};
};

// Fractional index at which an ascending array has the value x.
flexmbs.indexAt = (array, x) => {
  let [low, high] = [0, array.length - 1];
  if (!(x > array[low])) return low;
  if (x >= array[high]) return high;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (array[middle] <= x) low = middle;
    else high = middle;
  }
  return low + (x - array[low]) / (array[high] - array[low]);
};

// Value of an array at a fractional index.
flexmbs.between = (array, index) => {
  const [low, part] = [Math.floor(index), index % 1];
  return part ? array[low] * (1 - part) + array[low + 1] * part : array[low];
};

// Round values (1, 2, 5 times a power of ten) from low to high, about `count` of them, with their labels.
flexmbs.ticks = (low, high, count) => {
  const raw = (high - low) / Math.max(count, 1), power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((round) => round * power >= raw * 0.999);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), ticks = [];
  for (let i = Math.ceil(low / step - 1e-6); i <= high / step + 1e-6; i++) {
    const large = Math.max(Math.abs(low), Math.abs(high)) >= 1e6 || digits > 7;
    ticks.push([i * step, large ? flexmbs.number(i * step) : (i * step || 0).toFixed(digits).replace("-", "−")]);
  }
  return ticks;
};

// A number with so many significant digits; with a unit: in thousands or thousandths of it.
flexmbs.number = (value, digits = 4) => String(+value.toPrecision(digits)).replace("-", "−");
flexmbs.withPrefix = (value, unit, digits = 3) => {
  const power = Math.min(3, Math.max(-3, Math.floor(Math.log10(Math.abs(value) * 1.0001 || 1) / 3)));
  return `${flexmbs.number(value / 1000 ** power, digits)} ${["n", "µ", "m", "", "k", "M", "G"][power + 3]}${unit}`;
};
flexmbs.roundBelow = (value) => {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * (value >= 5 * power ? 5 : value >= 2 * power ? 2 : 1);
};

// Table of columns [{title, values}] of any lengths as text.
flexmbs.csv = (columns) => {
  const lines = [columns.map((column) => `"${column.title.replaceAll('"', '""')}"`).join(",")];
  for (let i = 0; i < Math.max(...columns.map((column) => column.values.length)); i++)
    lines.push(columns.map((column) => column.values[i] ?? "").join(","));
  return lines.join("\n") + "\n";
};

flexmbs.download = (name, blob) => {
  const link = flexmbs.make("a", {download: name.replace(/[^\w.-]+/g, "_"), href: URL.createObjectURL(blob)});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};
