// What is written over the scene, on a 2D canvas: colour bar, scale bars, legend of contacts, labels of probes.
flexmbs.overlay = (ui, c, width, height, heading) => {
  const { scene, state, renderer } = ui,
    { make, number, round, withPrefix, ticks } = flexmbs.tools,
    quantity = ui.quantity();
  const [ink, paper] = ["--ink", "--paper"].map((name) => getComputedStyle(ui.div).getPropertyValue(name));
  const text = (words, x, y, font = "12px") => {
    Object.assign(c, {
      font: `${font} system-ui`,
      textBaseline: "middle",
      strokeStyle: paper,
      lineWidth: 3,
      lineJoin: "round",
      fillStyle: ink,
    });
    c.strokeText(words, x, y);
    c.fillText(words, x, y);
    return c.measureText(words).width;
  };
  const path = (...points) => {
    Object.assign(c, { strokeStyle: ink, lineWidth: 1.5 });
    c.beginPath();
    points.forEach((point) => c.lineTo(...point));
    c.stroke();
  };
  const dot = (color, x, y) => {
    c.fillStyle = color;
    c.beginPath();
    c.arc(x, y, 5, 0, 7);
    c.fill();
  };

  if (heading) {
    text(scene.title, 16, 22, "600 17px");
    text([ui.timeText(), scene.subtitle].filter(Boolean).join(" · "), 16, 44);
  }
  if (quantity.key !== "body" && state.high > state.low && height > 130) {
    // On a phone the bar lies along the upper edge, where it covers nothing.
    const top = heading ? 84 : 40,
      lying = width < 560,
      long = lying ? width - 32 : Math.min(260, height - top - 56),
      factor = quantity.factor;
    const image = lying ? new ImageData(256, 1) : new ImageData(1, 256),
      strip = make("canvas", { width: image.width, height: image.height });
    for (let i = 0; i < 256; i++) {
      const from = 3 * (lying ? i : 255 - i);
      image.data.set([...scene.colours.slice(from, from + 3), 255], 4 * i);
    }
    strip.getContext("2d").putImageData(image, 0, 0);
    c.drawImage(strip, 16, top, lying ? long : 14, lying ? 10 : long);
    text(`${quantity.title} (${quantity.unit})`, 16, top - 18, "600 12px");
    const share = (value) => (value / factor - state.low) / (state.high - state.low),
      ends = [state.low * factor, state.high * factor],
      room = (lying ? 34 : 13) / long;
    const marks = ticks(...ends, long / (lying ? 56 : 36)).filter(([value]) => Math.min(share(value), 1 - share(value)) > room);
    for (const [value, label] of [...marks, ...ends.map((end) => [end, number(end)])]) {
      const along = long * share(value);
      c.fillRect(...(lying ? [16 + along - 0.5, top + 10, 1, 4] : [30, top + long - along - 0.5, 4, 1]));
      c.font = "12px system-ui";
      if (lying) text(label, 16 + along - c.measureText(label).width * share(value), top + 22);
      else text(label, 38, top + long - along);
    }
  }

  // In rows from below; the triad of axes stands at the right.
  let x = 16,
    y = height - 18;
  const item = (words, wide, paint) => {
    if (x > 16 && x + wide + 7 * words.length > width - 110) [x, y] = [16, y - 20];
    paint();
    x += wide + 28 + text(words, x + wide + 8, y);
  };
  const scale = renderer.pixelsPerMetre(),
    room = Math.min(140, width / 4),
    metres = round(room / scale),
    wide = metres * scale;
  item(withPrefix(metres, "m"), wide, () =>
    path([x, y - 4], [x, y + 4], [x, y], [x + wide, y], [x + wide, y - 4], [x + wide, y + 4]),
  );
  const { length_per_newton: each, largest } = scene.forceScale ?? {};
  if (largest && scene.contacts.length && state.glyphs.forces) {
    const force = round(Math.min(largest, room / scale / each)),
      long = force * each * scale;
    item(withPrefix(force, "N"), long, () =>
      path([x, y], [x + long, y], [x + long - 6, y - 4], [x + long, y], [x + long - 6, y + 4]),
    );
  }
  if (state.glyphs.contacts)
    scene.contactPhases.forEach(({ name, color }, i) => {
      if (scene.contacts.some(({ phase }) => phase.includes(i))) item(name, 10, () => dot(color, x + 5, y));
    });

  for (const { part, point, name, color } of ui.probes) {
    const { x, y, visible } = renderer.project(part, point),
      value = renderer.value(part, point, quantity.key) * quantity.factor;
    const words = quantity.key === "body" || isNaN(value) ? name : `${name}: ${number(value)} ${quantity.unit}`;
    c.font = "12px system-ui";
    const wide = c.measureText(words).width + 14,
      clamp = (value, size) => Math.max(4, Math.min(value, size - 4));
    const left = clamp(x + wide + 20 > width ? x - 16 - wide : x + 16, width - wide),
      top = clamp(y - 34, height - 22);
    c.globalAlpha = visible ? 1 : 0.5;
    path([x, y], [Math.max(left, Math.min(x, left + wide)), top + 11]);
    c.strokeRect(left, top, wide, 22);
    c.fillStyle = paper;
    c.fillRect(left, top, wide, 22);
    dot(color, x, y);
    c.stroke();
    text(words, left + 7, top + 11.5);
    c.globalAlpha = 1;
  }
};
