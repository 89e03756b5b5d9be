// Shaders of flexmbs.Renderer.
{
  const COMMON = `#version 300 es
precision highp float; precision highp int; precision highp sampler2D;
uniform sampler2D fields, frame, points, colours, shadow;
uniform mat4 view;
uniform vec4 eye, clip, ink; // eye: a place, or a direction (w = 0); clip: dot(clip.xyz, p) <= clip.w is kept
uniform vec3 right, above, up;
uniform vec2 size, pass, range; // pixels; opacities that are drawn; values at the ends of the colour map
uniform float quantity, width, pixel, dark; // pixel: m
#define CUT float left = clip.w - dot(clip.xyz, p); if (left < 0.0) discard;
vec4 cell(int i) { return texelFetch(frame, ivec2(i & 1023, i >> 10), 0); }
vec3 shade(vec3 n, vec3 p, vec3 colour) { // a light above the left shoulder, a weak one from the right, sky and ground
  vec3 v = normalize(eye.xyz - p * eye.w), key = normalize(v + 0.45 * above - 0.35 * right);
  vec3 fill = normalize(0.3 * v + right - 0.2 * above);
  vec3 sky = mix(vec3(0.30, 0.28, 0.26), vec3(0.62, 0.66, 0.72), 0.5 + 0.5 * dot(n, up));
  float shine = pow(max(dot(n, normalize(key + v)), 0.0), 40.0), rim = pow(1.0 - max(dot(n, v), 0.0), 4.0);
  vec3 light = 0.55 * sky + 0.72 * max(dot(n, key), 0.0) + 0.16 * max(dot(n, fill), 0.0);
  return pow(pow(colour, vec3(2.2)) * light + 0.10 * shine + 0.08 * rim * sky, vec3(1.0 / 2.2));
}
vec3 tint(vec4 own, float value, float coloured) {
  float t = clamp((value - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
  return coloured > 0.5 ? texture(colours, vec2((t * 255.0 + 0.5) / 256.0, 0.5)).rgb : own.rgb;
}
`;
  // Cells of a part: 0-2 rotation | place, 3 colour and opacity, 4 first row of its fields, count of points, scale,
  // first point, 5 first coefficient and count of modes, of stress modes, 6 coloured, closed, count of modes stored.
  const EVALUATE = `in vec3 rest, normal; in uint part; in float given;
out vec4 place; out vec3 facing;
vec3 field(float row, int i) {
  int across = textureSize(fields, 0).x;
  return texelFetch(fields, ivec2(i % across, int(row) + i / across), 0).xyz;
}
void superpose(float first, float count, int skip, vec4 own, out vec3 a, out vec3 b) {
  a = b = vec3(0);
  for (int k = 0; k < int(count); k++) {
    vec4 c = cell(int(first) + k);
    int i = 2 * ((skip + int(c.y)) * int(own.y) + gl_VertexID - int(own.w));
    a += c.x * field(own.x, i);
    b += c.x * field(own.x, i + 1);
  }
}
float principal(vec3 d, vec3 s, float sign) { // the largest (sign 1) or the smallest; s: yz xz xy
  float unit = max(max(length(d), length(s)), 1e-30), mean = (d.x + d.y + d.z) / 3.0 / unit;
  vec3 k = d / unit - mean, t = s / unit;
  float p = sqrt((dot(k, k) + 2.0 * dot(t, t)) / 6.0);
  if (p < 1e-6) return mean * unit; // all three are equal
  k /= p; t /= p;
  float q = 0.5 * (k.x * (k.y * k.z - t.x * t.x) - t.z * (t.z * k.z - t.x * t.y) + t.y * (t.z * t.x - k.y * t.y));
  return unit * (mean + sign * 2.0 * p * cos(acos(clamp(sign * q, -1.0, 1.0)) / 3.0));
}
void main() {
  int at = int(part) * 8;
  vec4 x = cell(at), y = cell(at + 1), z = cell(at + 2), own = cell(at + 4), lists = cell(at + 5);
  vec3 u, bent, d, s;
  superpose(lists.x, lists.y, 0, own, u, bent);
  superpose(lists.z, lists.w, int(cell(at + 6).z), own, d, s);
  vec3 p = rest + own.z * u, n = normal + own.z * bent, e = d - d.yzx;
  place = vec4(dot(x.xyz, p) + x.w, dot(y.xyz, p) + y.w, dot(z.xyz, p) + z.w, given);
  facing = vec3(dot(x.xyz, n), dot(y.xyz, n), dot(z.xyz, n));
  if (quantity < 1.5) place.w = length(u);
  else if (quantity < 2.5) place.w = sqrt(0.5 * dot(e, e) + 3.0 * dot(s, s));
  else if (quantity < 4.5) place.w = principal(d, s, 7.0 - 2.0 * quantity);
}`;
  const SURFACE_POINT = `layout(location = 0) in vec4 place; layout(location = 1) in vec3 facing;
layout(location = 2) in uint part;
out vec3 p, n; out float value; flat out vec4 own; flat out vec3 how;
void main() {
  own = cell(int(part) * 8 + 3);
  how = vec3(cell(int(part) * 8 + 6).xy, part + 1u);
  p = place.xyz; n = facing; value = place.w;
  gl_Position = own.a > pass.x && own.a <= pass.y ? view * vec4(p, 1) : vec4(2, 2, 2, 1);
  gl_Position.z += 1e-4 * float(part % 8u) * gl_Position.w; // faces of two parts in one plane do not flicker
}`;
  const SURFACE = `in vec3 p, n; in float value; flat in vec4 own; flat in vec3 how; out vec4 color;
void main() {
  float width = max(fwidth(dot(clip.xyz, p)), 1e-30);
  CUT
  bool cut = clip.w < 1e30, inside = cut && !gl_FrontFacing && how.y > 0.5;
  vec3 side = inside ? clip.xyz : normalize(gl_FrontFacing ? n : -n); // what is inside looks like the plane of the cut
  vec3 lit = shade(side, p, inside ? mix(own.rgb, vec3(0.5), 0.6) : tint(own, value, how.x));
  color = vec4(cut ? mix(vec3(0.08), lit, clamp(left / width - 0.8, 0.0, 1.0)) : lit, own.a); // with a rim
}`;
  const PICK = `in vec3 p; flat in vec3 how; out uvec4 color;
void main() { CUT color = uvec4(floatBitsToUint(p), uint(how.z)); }`;
  const SHADOW = `in vec3 p; flat in vec4 own; out vec4 color;
void main() { CUT color = vec4(own.a * (1.0 - 0.7 * gl_FragCoord.z)); }`;
  // Four corners for each pair of points. Lines without ink have the colours of their parts; edges of meshes fade where
  // they are too dense.
  const LINE_POINT = `layout(location = 0) in uvec3 pair;
out vec3 p; out float value; flat out vec4 own; flat out vec3 how;
vec4 point(uint i) { return texelFetch(points, ivec2(i & 2047u, i >> 11), 0); }
void main() {
  int at = int(pair.z) * 8;
  own = cell(at + 3);
  how = vec3(cell(at + 6).xy, pair.z + 1u);
  vec4 a = point(pair.x), b = point(pair.y), pa = view * vec4(a.xyz, 1), pb = view * vec4(b.xyz, 1);
  bool last = (gl_VertexID & 1) == 1, shown = own.a > pass.x && own.a <= pass.y && min(pa.w, pb.w) > 0.0;
  vec2 along = (pb.xy / pb.w - pa.xy / pa.w) * size;
  float length = length(along), side = float(gl_VertexID >> 1) * 2.0 - 1.0;
  p = last ? b.xyz : a.xyz; value = last ? b.w : a.w;
  gl_Position = last ? pb : pa;
  gl_Position.xy += vec2(-along.y, along.x) / max(length, 1e-6) * side * width / size * gl_Position.w;
  vec4 nearer = view * vec4(p + 1.5 * pixel * normalize(eye.xyz - p * eye.w), 1);
  gl_Position.z = nearer.z / nearer.w * gl_Position.w;
  if (!shown) gl_Position = vec4(2, 2, 2, 1);
  if (ink.a > 0.0) own *= ink;
  if (ink.a > 0.0 && ink.a < 0.6) own.a *= smoothstep(4.0, 16.0, length / width);
}`;
  const LINE = `in vec3 p; in float value; flat in vec4 own; flat in vec3 how; out vec4 color;
void main() { CUT color = vec4(ink.a > 0.0 ? own.rgb : tint(own, value, how.x), own.a); }`;
  const TUBE_POINT = `layout(location = 0) in vec4 a; layout(location = 1) in vec4 b; layout(location = 2) in vec3 ta;
layout(location = 3) in vec3 tb; layout(location = 4) in vec4 colour;
out vec3 p, n; flat out vec4 own;
void main() {
  bool last = (gl_VertexID & 1) == 1;
  vec3 t = last ? tb : ta, axis = normalize(b.xyz - a.xyz);
  vec3 side = normalize(cross(axis, abs(axis.z) < 0.8 ? vec3(0, 0, 1) : vec3(1, 0, 0)));
  float angle = float(gl_VertexID >> 1) * 6.2831853 / 12.0;
  vec3 o = cos(angle) * side + sin(angle) * cross(axis, side);
  p = last ? b.xyz : a.xyz;
  p += (last ? b.w : a.w) * (o - axis * dot(o, t) / dot(axis, t));
  n = (o - t * dot(o, t)) * length(b.xyz - a.xyz) + t * (a.w - b.w);
  own = colour;
  gl_Position = view * vec4(p, 1);
}`;
  const TUBE = `in vec3 p, n; flat in vec4 own; out vec4 color;
void main() { color = vec4(shade(normalize(n), p, own.rgb), own.a * ink.a); }`;
  const DOT_POINT = `layout(location = 0) in vec4 place; layout(location = 1) in vec4 colour; out vec4 own;
void main() {
  own = colour;
  gl_Position = view * vec4(place.xyz, 1);
  gl_PointSize = place.w * width;
}`;
  const DOT = `in vec4 own; out vec4 color;
void main() {
  float r = 2.0 * length(gl_PointCoord - 0.5), soft = fwidth(r);
  color = vec4(mix(own.rgb, vec3(1), smoothstep(0.62 - soft, 0.62, r)), ink.a * (1.0 - smoothstep(1.0 - soft, 1.0, r)));
}`;
  const BACK_POINT = `out float height;
void main() {
  vec2 at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;
  height = 0.5 + 0.5 * at.y;
  gl_Position = vec4(at, 1, 1);
}`;
  const BACK = `in float height; out vec4 color;
void main() {
  vec3 low = mix(vec3(0.86, 0.89, 0.92), vec3(0.16, 0.18, 0.21), dark);
  color = vec4(ink.a > 0.0 ? ink.rgb : mix(low, mix(vec3(0.98, 0.985, 0.99), vec3(0.08, 0.09, 0.11), dark), height), 1);
}`;
  // A square with lines every `spacing`, and the shadow on its inner half.
  const GROUND_POINT = `uniform vec3 middle, along, beside; out vec2 at;
void main() {
  at = 2.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0;
  gl_Position = view * vec4(middle + at.x * along + at.y * beside, 1);
}`;
  const GROUND = `in vec2 at; uniform vec2 spacing, start; out vec4 color;
void main() {
  vec2 g = at / spacing + start, thin = max(fwidth(g), 1e-6), line = abs(fract(g - 0.5) - 0.5) / thin;
  float grid = 0.10 * max(1.0 - min(line.x, line.y), 0.0) * min(0.3 / max(thin.x, thin.y), 1.0), shade = 0.0;
  for (int k = 0; k < 5; k++) shade += 0.2 * textureLod(shadow, at + 0.5, float(k) + 0.5).a;
  shade *= (0.34 + 0.3 * dark) * (max(abs(at.x), abs(at.y)) > 0.5 ? 0.0 : 1.0);
  color = vec4(vec3(grid > shade ? dark : 0.0), max(shade, grid) * (1.0 - smoothstep(0.4, 1.0, length(at))));
}`;
  const pairs = {
    evaluate: [EVALUATE, "void main() {}"], surface: [SURFACE_POINT, SURFACE], surfacePick: [SURFACE_POINT, PICK],
    surfaceShadow: [SURFACE_POINT, SHADOW], line: [LINE_POINT, LINE], linePick: [LINE_POINT, PICK],
    lineShadow: [LINE_POINT, SHADOW], tube: [TUBE_POINT, TUBE], tubeShadow: [TUBE_POINT, SHADOW], dot: [DOT_POINT, DOT],
    back: [BACK_POINT, BACK], ground: [GROUND_POINT, GROUND],
  };
  flexmbs.shaders = Object.entries(pairs).map(([name, pair]) => [name, ...pair.map((code) => COMMON + code)]);
}
