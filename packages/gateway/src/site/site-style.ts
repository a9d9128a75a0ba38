/** A color as red, green and blue, each 0 to 255. */
type Rgb = readonly [red: number, green: number, blue: number]

const white: Rgb = [255, 255, 255]
const black: Rgb = [0, 0, 0]
/** Where the accent has the least contrast: the foot in the light theme, and the lists in the dark one. */
const backgrounds = { light: [235, 235, 237], dark: [42, 42, 46] } as const
const readable = 4.5
/** The largest share of the accent in the background of accent-colored text. */
const strongestTint = 0.1

/**
 * Returns the accent's custom properties: the fill of the main button, its text, and the accent as text on the page,
 * shifted until it is readable in either theme.
 *
 * @param accent `#rrggbb`.
 */
export function sitePalette(accent: string): string {
  const color: Rgb = [hexAt(accent, 1), hexAt(accent, 3), hexAt(accent, 5)]
  const onFill = contrast(color, white) >= readable ? '#fff' : '#000'
  const [light, dark] = [
    readableOn(color, backgrounds.light, black),
    readableOn(color, backgrounds.dark, white),
  ]
  return `:root{--fill:${accent};--on-fill:${onFill};--accent-light:${css(light)};--accent-dark:${css(dark)}}`
}

function hexAt(accent: string, start: number): number {
  return Number.parseInt(accent.slice(start, start + 2), 16)
}

function css(color: Rgb): string {
  return `rgb(${color.join(' ')})`
}

function readableOn(color: Rgb, background: Rgb, towards: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const shifted = mix(color, towards, share)
    if (contrast(shifted, mix(background, shifted, strongestTint)) >= readable) return shifted
  }
  return towards
}

function mix([r1, g1, b1]: Rgb, [r2, g2, b2]: Rgb, share: number): Rgb {
  const between = (from: number, to: number): number => Math.round(from + (to - from) * share)
  return [between(r1, r2), between(g1, g2), between(b1, b2)]
}

/** Returns the WCAG 2 contrast of two colors: 1 to 21. */
function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (channel: number): number => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/** The style of all pages: the activation window's, from 320 pixels on, light and dark. */
export const siteStyle: string = `
:root { color-scheme: light dark; --page: #e6e6ea; --window: #f5f5f7; --shine: #fefefe; --bar: #ebebed; --surface: #fff;
  --text: #1b1b1f; --quiet: #55555e; --edge: #86868f; --line: rgb(0 0 0 / .1); --hover: rgb(0 0 0 / .05); --danger: #c0252d; --success: #1b8a4b;
  --glow: .2; --accent: var(--accent-light) }
@media (prefers-color-scheme: dark) { :root { --page: #131315; --window: #1e1e21; --shine: #292a2c; --bar: #19191b;
  --surface: #2a2a2e; --text: #f4f4f6; --quiet: #acacb5; --edge: #83838e; --line: rgb(255 255 255 / .11);
  --hover: rgb(255 255 255 / .07); --danger: #ff827e; --success: #3fcf7f; --glow: .29; --accent: var(--accent-dark) } }
* { box-sizing: border-box; min-width: 0; margin: 0 }
[hidden] { display: none !important }
body { min-height: 100vh; display: grid; place-items: start center; padding: min(8vh, 4rem) 1rem 1rem; background: var(--page);
  color: var(--text); font: .9375rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere }
.card { width: min(29rem, 100%); display: flex; flex-direction: column; overflow: clip; border: 1px solid var(--line); border-radius: 12px;
  background: var(--window) linear-gradient(var(--shine), var(--window)) 0 0 / 100% 10rem no-repeat;
  box-shadow: 0 8px 24px rgb(0 0 0 / .12) }
header { display: grid; justify-items: center; gap: .5rem; padding: 2rem 2rem 0; color: var(--quiet); text-align: center }
.emblem { position: relative; width: 64px; height: 64px; margin-bottom: .25rem }
.emblem > * { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: contain }
.glow { opacity: var(--glow); scale: 2.8 2.3; filter: blur(24px) saturate(1.5); pointer-events: none }
.mark { display: grid; place-items: center; border-radius: 25%; background: var(--fill)
  linear-gradient(160deg, rgb(255 255 255 / .2), rgb(0 0 0 / .16)); color: var(--on-fill);
  box-shadow: 0 6px 20px rgb(0 0 0 / .2) }
.mark svg { width: 58%; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round }
body:has(h1.done) .emblem::after { content: "✓" / ""; position: absolute; inset-block-end: -8px; inset-inline-end: -10px; display: grid; place-items: center;
  width: 32px; height: 32px; border: 3px solid var(--window); border-radius: 50%; background: var(--success);
  color: var(--window); font-size: 1.125rem; font-weight: 700 }
header p { position: relative; font-size: .875rem; font-weight: 550 }
main { display: grid; gap: 1rem; padding: .5rem 2rem 2rem }
form { display: grid; gap: 1rem }
h1 { font-size: 1.375rem; line-height: 1.28; font-weight: 650; text-align: center; text-wrap: balance }
h1 + p { margin-top: -.5rem; color: var(--quiet); text-align: center; text-wrap: balance }
:lang(ko) { word-break: keep-all }
:lang(ja) { word-break: auto-phrase }
dl { display: grid; gap: .75rem }
dd { margin: 0 }
dt, .until, small { color: var(--quiet) }
dt, .until, small, label:not(.button, .row) { font-size: .875rem }
label:not(.button, .row) { margin-bottom: -.5rem; font-weight: 600 }
textarea, input:not([type=radio], [type=file]) { width: 100%; padding: .75rem; background: var(--surface); color: inherit;
  border: 1px solid var(--edge); border-radius: 10px; font: .875rem/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace }
input:not([type=radio], [type=file]) { height: 2.75rem }
input[type=search] { font-family: inherit }
textarea { resize: vertical; overflow-wrap: anywhere }
textarea[readonly] { resize: none }
[aria-invalid=true] { border-color: var(--danger) !important }
button, .button { min-height: 2.75rem; padding: .625rem 1rem; display: block; width: 100%; background: var(--surface);
  color: inherit; border: 1px solid var(--line); border-radius: 10px; font: inherit; font-weight: 550; text-align: center;
  text-decoration: none; cursor: pointer; overflow-wrap: anywhere; box-shadow: 0 1px 2px rgb(0 0 0 / .07) }
button:hover, .button:hover { background: var(--surface) linear-gradient(var(--hover), var(--hover)) }
.main, .main:hover { background: var(--fill); color: var(--on-fill); font-weight: 600;
  border-color: color-mix(in srgb, var(--fill) 60%, var(--accent)) }
.main:hover { filter: brightness(.95) }
.danger, .danger:hover { background: color-mix(in srgb, var(--danger) 9%, var(--surface)); color: var(--danger);
  border-color: color-mix(in srgb, var(--danger) 32%, transparent); box-shadow: none }
.actions { display: flex; flex-wrap: wrap; gap: .5rem }
.actions > * { flex: 1 1 8rem; width: auto }
a:not(.button) { color: var(--accent) }
h1:focus-visible { outline: none }
:focus-visible:not(h1), .button:focus-within { outline: 2px solid var(--accent); outline-offset: 2px }
input[type=file] { position: absolute; width: 1px; height: 1px; opacity: 0 }
.problem, small { text-wrap: pretty }
.problem { display: flex; gap: .5rem; color: var(--danger) }
.problem::before { content: "!" / ""; flex: none; width: 1.25em; height: 1.25em; margin-top: .1em; border: 1.5px solid;
  border-radius: 50%; font-weight: 700; line-height: 1.1; text-align: center }
.rows { display: block; max-height: min(60vh, 34rem); padding: 4px; overflow-y: auto; overscroll-behavior: contain;
  background: var(--surface); border: 1px solid var(--line); border-radius: 12px; box-shadow: 0 1px 2px rgb(0 0 0 / .07) }
.row { display: flex; gap: .75rem; align-items: center; padding: .5rem .75rem; border-radius: 8px }
label.row { cursor: pointer }
label.row:hover { background: var(--hover) }
label.row:has(:checked) { background: color-mix(in srgb, var(--accent) 10%, transparent) }
.row:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: -2px }
.row:has(:disabled) { cursor: default }
.row input { flex: none; width: 1.125rem; height: 1.125rem; margin: 0; accent-color: var(--accent); outline: none }
.row b, .row small { display: block }
time { white-space: nowrap }
.row b { font-weight: 550; unicode-bidi: isolate }
.row button { width: auto }
fieldset { min-width: 0; padding: 0; border: 0 }
legend, #copied { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
footer { margin-top: auto; padding: .875rem 2rem; border-top: 1px solid var(--line); background: var(--bar); font-size: .875rem }
main img { width: 100%; max-width: 22rem; margin: auto; padding: 1rem; background: #fff; border-radius: .5rem }
@media (max-width: 30rem) { body { padding: 0 } .card { min-height: 100vh; border: 0; border-radius: 0; box-shadow: none }
  header { padding-inline: 1.25rem } main { padding-inline: 1.25rem } footer { padding-inline: 1.25rem } }
`
