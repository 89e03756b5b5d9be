// What is written over the scene: colour bar, legends, scale bars, labels of probes; on a 2D canvas, so that
// pictures and prints have it too.
flexmbs.overlay = (ui, c, width, height, heading) => {
  const {scene, state, renderer} = ui, {number, roundBelow, withPrefix} = flexmbs;
  const style = getComputedStyle(ui.app), [ink, paper] = ["--ink", "--paper"].map((name) => style.getPropertyValue(name));
  const text = (words, x, y, align = "left", size = 12, weight = "") => {
    Object.assign(c, {font: `${weight} ${size}px system-ui, sans-serif`, textAlign: align, textBaseline: "middle"});
    Object.assign(c, {strokeStyle: paper, lineWidth: 3, lineJoin: "round", fillStyle: ink});
    c.strokeText(words, x, y);
    c.fillText(words, x, y);
  };
  if (heading) {
    text(scene.title, 16, 22, "left", 17, "600");
    text([scene.subtitle, ui.timeText()].filter(Boolean).join("  ·  "), 16, 44);
  }
  const quantity = ui.quantity();
  if (quantity.key !== "body" && state.high > state.low && height > 130) {
    const top = heading ? 84 : 40, tall = Math.min(260, height - top - 56), x = 16;
    const image = new ImageData(1, 256), {colours} = scene;
    for (let i = 0; i < 256; i++) image.data.set([...colours.slice(3 * (255 - i), 3 * (255 - i) + 3), 255], 4 * i);
    const strip = flexmbs.make("canvas", {width: 1, height: 256});
    strip.getContext("2d").putImageData(image, 0, 0);
    text(`${quantity.title}${quantity.unit && ` (${quantity.unit})`}`, x, top - 18, "left", 12, "600");
    c.drawImage(strip, x, top, 14, tall);
    const [low, high] = [state.low * quantity.factor, state.high * quantity.factor];
    for (const [value, label] of flexmbs.ticks(low, high, tall / 36)) {
      const y = top + tall * (1 - (value - low) / (high - low));
      c.fillRect(x + 14, y - 0.5, 4, 1);
      text(label, x + 22, y);
    }
  }
  // Scale bars and phases of contacts, in rows from below.
  let [left, y] = [16, height - 18];
  const item = (words, symbol, paint) => {
    c.font = "12px system-ui, sans-serif";
    const wide = symbol + 8 + c.measureText(words).width;
    if (left > 16 && left + wide > width - 110) [left, y] = [16, y - 20];
    Object.assign(c, {strokeStyle: ink, lineWidth: 1.5});
    c.beginPath();
    paint(left);
    text(words, left + symbol + 8, y);
    left += wide + 20;
  };
  const lines = (...points) => points.forEach(([x, dy], i) => c[i ? "lineTo" : "moveTo"](x, y + dy));
  const scale = renderer.pixelsPerMetre(), length = roundBelow(Math.min(140, width / 4) / scale);
  const {length_per_newton: perNewton, largest} = scene.forceScale ?? {};
  item(withPrefix(length, "m"), length * scale, (x, end = x + length * scale) => {
    lines([x, -4], [x, 4], [x, 0], [end, 0], [end, -4], [end, 4]);
    c.stroke();
  });
  if (largest && state.glyphs.forces) {
    const force = roundBelow(Math.min(largest, 140 / (scale * perNewton)));
    item(withPrefix(force, "N"), force * perNewton * scale, (x, end = x + force * perNewton * scale) => {
      lines([x, 0], [end, 0], [end - 6, -4], [end, 0], [end - 6, 4]);
      c.stroke();
    });
  }
  if (scene.contacts.length && state.glyphs.contacts) {
    for (const {name, color} of scene.contactPhases)
      item(name, 10, (x) => {
        c.fillStyle = color;
        c.arc(x + 5, y, 5, 0, 7);
        c.fill();
      });
  }
  for (const probe of ui.probes) {
    const {x, y, visible} = renderer.project(probe.part, probe.point);
    const value = quantity.key === "body" ? NaN : renderer.value(probe.part, probe.point, quantity.key) * quantity.factor;
    const words = isNaN(value) ? probe.name : `${probe.name}: ${number(value)} ${quantity.unit}`;
    c.font = "12px system-ui, sans-serif";
    const wide = c.measureText(words).width + 14, side = x + wide + 30 > width ? -1 : 1;
    const clamped = (value, size) => Math.min(Math.max(value, 4), size - 4);
    const left = clamped(x + (side > 0 ? 16 : -16 - wide), width - wide), top = clamped(y - 34, height - 22);
    Object.assign(c, {globalAlpha: visible ? 1 : 0.45, strokeStyle: ink, fillStyle: paper, lineWidth: 1});
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(x + 16 * side, y - 23);
    c.rect(left, top, wide, 22);
    c.stroke();
    c.fillRect(left, top, wide, 22);
    c.fillStyle = probe.color;
    c.beginPath();
    c.arc(x, y, 4, 0, 7);
    c.fill();
    c.stroke();
    text(words, left + 7, top + 11.5);
    c.globalAlpha = 1;
  }
};
