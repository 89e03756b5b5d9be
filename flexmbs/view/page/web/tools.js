// Tools of the user's interface: elements, gestures, numbers, files.
flexmbs.tools = (() => {
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children.filter(Boolean));
    return element;
  };

  // `path`: the icon, in a square of 16.
  const button = (title, path, onclick) => {
    const element = make("button", { title, onclick });
    element.innerHTML = `<svg viewBox="0 0 16 16"><path d="${path}"/></svg>`;
    return element;
  };

  // Mouse, pen and touch; lengths in CSS pixels, places from the element's corner.
  const gestures = (element, { drag, pinch, tap, wheel, hover }) => {
    const pointers = new Map(),
      apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
    let moved;
    element.onpointerdown = (event) => {
      element.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
      moved = pointers.size > 1 ? 9 : 0;
    };
    element.onpointermove = (event) => {
      const last = pointers.get(event.pointerId),
        here = [event.offsetX, event.offsetY];
      if (!last) return hover?.(here[0]);
      pointers.set(event.pointerId, here);
      const dx = here[0] - last[0],
        dy = here[1] - last[1],
        other = [...pointers.values()].find((place) => place !== here);
      moved += Math.hypot(dx, dy);
      if (other) pinch(apart(here, other) / apart(last, other), ...other, dx / 2, dy / 2);
      else if (moved > 3) drag(dx, dy, event);
    };
    element.onpointerup = element.onpointercancel = (event) => {
      if (pointers.delete(event.pointerId) && moved <= 3 && event.type === "pointerup")
        tap(event.offsetX, event.offsetY);
    };
    element.onpointerleave = () => hover?.(null);
    const turn = (event) => wheel(event, Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)));
    element.addEventListener("wheel", turn, { passive: false });
  };

  // The 2D context of a canvas, cleared, as large as it is shown.
  const fitted = (canvas) => {
    const { clientWidth: width, clientHeight: height } = canvas,
      ratio = devicePixelRatio,
      c = canvas.getContext("2d");
    Object.assign(canvas, { width: width * ratio, height: height * ratio });
    c.scale(ratio, ratio);
    return { c, width, height };
  };

  // Fractional index at which an ascending array has the value x, and the value at such an index.
  const indexAt = (array, x) => {
    let low = 0,
      high = array.length - 1;
    if (!(x > array[low])) return low;
    if (x >= array[high]) return high;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (array[middle] <= x) low = middle;
      else high = middle;
    }
    return low + (x - array[low]) / (array[high] - array[low]);
  };
  const between = (array, index, stride = 1, offset = 0) => {
    const i = Math.floor(index),
      part = index - i,
      at = (k) => array[k * stride + offset];
    return part ? at(i) * (1 - part) + at(i + 1) * part : at(i);
  };

  const number = (value, digits = 4) =>
    Math.abs(value) < 1e-12 ? "0" : String(+value.toPrecision(digits)).replaceAll("-", "−");
  const round = (value) =>
    [5, 2, 1].map((step) => step * 10 ** Math.floor(Math.log10(value))).find((step) => step <= value);
  const withPrefix = (value, unit) => {
    const power = Math.max(-3, Math.min(3, Math.floor(Math.log10(Math.abs(value) * 1.0001 || 1) / 3)));
    return `${number(value / 1000 ** power, 3)} ${["n", "µ", "m", "", "k", "M", "G"][power + 3]}${unit}`;
  };
  // Round values from low to high, at most `count` or so, with labels.
  const ticks = (low, high, count) => {
    const raw = (high - low) / count,
      power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((k) => k * power).find((step) => step >= raw * 0.999);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)),
      list = [];
    const plain = digits < 8 && Math.max(-low, high) < 1e6;
    for (let i = Math.ceil(low / step - 1e-6); i <= high / step + 1e-6; i++)
      list.push([i * step, plain ? (i * step).toFixed(digits).replace(/-/, "−") : number(i * step)]);
    return list;
  };

  // Histories (all with times t) and further columns [title, values] as text; a column of times where these change.
  const table = (histories, more = []) => {
    const columns = histories
      .flatMap(({ name, unit, factor, t, values }, i) => [
        t !== histories[i - 1]?.t && ["time [s]", t],
        [`${name} [${unit}]`, values, factor],
      ])
      .filter(Boolean)
      .concat(more);
    const lines = [columns.map(([title]) => `"${title.replaceAll('"', '""')}"`)];
    for (let i = 0; columns.some(([, values]) => i < values.length); i++)
      lines.push(columns.map(([, values, factor = 1]) => (i < values.length ? values[i] * factor : "")));
    return lines.join("\n");
  };
  const save = (name, content) => {
    const href = URL.createObjectURL(new Blob([content]));
    make("a", { download: name.replace(/[^\w.-]+/g, "_"), href }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60000);
  };
  const DOWN = "M8 2v8M4.5 7L8 10.5 11.5 7M2 13.5h12";
  return { make, button, gestures, fitted, indexAt, between, number, round, withPrefix, ticks, table, save, DOWN };
})();
