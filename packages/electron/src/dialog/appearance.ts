import type { LicensingClient } from '../renderer/licensing-client.ts'
import type { ActivationScreen } from '../shared/activation-screen.ts'
import type { LoadedStrings } from '../texts/load-strings.ts'
import { createTranslator, type Translator } from './situation/translator.ts'

/** Appearance and texts of the screen. */
export interface Appearance extends Omit<ActivationScreen, 'strings'> {
  readonly translator: Translator
}

/** How long to wait for the main process before the screen shows itself without its answer. */
const patienceMs = 1_000

/** Asks the main process and loads the language. The element's own settings take precedence. Never rejects. */
export async function loadAppearance(
  client: LicensingClient,
  own: Partial<ActivationScreen>,
  loadStrings: (locale: string) => Promise<LoadedStrings>,
): Promise<Appearance> {
  const told = await within(client.screen(), patienceMs, defaultScreen)
  const screen = { ...told, ...own }
  const texts = await loadStrings(screen.locale)
  const strings = { ...told.strings, ...own.strings }
  const translator = createTranslator(texts, strings, screen.title, screen.serviceHost)
  return { ...screen, locale: texts.locale, translator }
}

function defaultScreen(): ActivationScreen {
  return {
    title: document.title,
    logo: null,
    accent: null,
    links: [],
    locale: navigator.language,
    strings: {},
    prefilledText: null,
  }
}

/** Returns the value a promise resolves with, or another one if it rejects or takes longer than `delayMs`. */
export function within<Value>(
  promise: Promise<Value>,
  delayMs: number,
  otherwise: () => Value,
): Promise<Value> {
  const late = new Promise<void>((resolve) => {
    setTimeout(resolve, delayMs)
  })
  return Promise.race([promise.catch(otherwise), late.then(otherwise)])
}

/** The most that the colors of a gray image differ, of 255. */
const grayest = 24
/** Width and height at which an image is looked at, in pixels. */
const sampleSize = 16

/** Whether an image has hardly any color. Never rejects. */
export async function isGrayImage(address: string): Promise<boolean> {
  try {
    const image = new Image()
    image.src = address
    await image.decode()
    const canvas = new OffscreenCanvas(sampleSize, sampleSize).getContext('2d')
    canvas?.drawImage(image, 0, 0, sampleSize, sampleSize)
    const { data = [] } = canvas?.getImageData(0, 0, sampleSize, sampleSize) ?? {}
    let color = 0
    let ink = 0
    for (let at = 0; at < data.length; at += 4) {
      const [red = 0, green = 0, blue = 0, alpha = 0] = data.slice(at, at + 4)
      color += (Math.max(red, green, blue) - Math.min(red, green, blue)) * alpha
      ink += alpha
    }
    return ink > 0 && color / ink < grayest
  } catch {
    // A broken image, or one from another origin, which a page may not read.
    return false
  }
}
