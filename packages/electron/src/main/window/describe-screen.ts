import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Logger } from '../../core/ports.ts'
import { type ActivationScreen, activationLinks } from '../../shared/activation-screen.ts'
import { parseUrl } from '../ipc/trusted-sender.ts'
import type { ActivationWindowOptions } from '../options/licensing-options.ts'
import type { LicensingSettings } from '../options/parse-licensing-options.ts'

const maxLogoBytes = 1024 * 1024

const imageTypes: ReadonlyMap<string, string> = new Map(
  Object.entries({ gif: 'gif', jpeg: 'jpeg', jpg: 'jpeg', png: 'png', svg: 'svg+xml', webp: 'webp' }),
)

/** Returns a window's appearance and texts: plain data, without addresses or paths. */
export function describeScreen(
  options: ActivationWindowOptions,
  { service, offlineUrl, takesAnyKey }: Pick<LicensingSettings, 'service' | 'offlineUrl' | 'takesAnyKey'>,
  defaults: { readonly title: string; readonly locale: string },
  logger: Logger,
): ActivationScreen {
  const host = parseUrl(service.baseUrl)?.host
  return {
    title: options.title ?? defaults.title,
    logo: options.logo === undefined ? null : readLogo(options.logo, logger),
    accent: options.accent ?? null,
    links: [
      ...activationLinks.filter((link) => options.links?.[link] !== undefined),
      ...(offlineUrl === undefined ? [] : (['offline'] as const)),
    ],
    ...(host !== undefined && { serviceHost: host }),
    locale: options.locale ?? defaults.locale,
    strings: options.strings ?? {},
    prefilledText: options.prefilledText ?? null,
    ...(takesAnyKey && { licenseKeyForm: 'any' }),
    ...(service.capabilities.answersOffline && { hasSeats: false }),
  }
}

/**
 * Reads the logo as a data URL. If it can't be used, logs a warning and returns `null`: the screen works without it.
 */
function readLogo(logo: string, logger: Logger): string | null {
  if (logo.startsWith('data:')) {
    const isImage = /^data:image\/(?:gif|jpeg|png|svg\+xml|webp)[;,]/iu.test(logo)
    if (isImage && logo.length <= maxLogoBytes * 1.4) return logo
    logger.warn(
      'window.logo is not shown: a data: URL must contain a PNG, JPEG, WebP, GIF or SVG image up to 1 MB',
    )
    return null
  }
  const type = imageTypes.get(path.extname(logo).slice(1).toLowerCase())
  try {
    if (type === undefined || !path.isAbsolute(logo)) {
      throw new Error('it must be the absolute path of a PNG, JPEG, WebP, GIF or SVG file')
    }
    const { size } = statSync(logo)
    if (size > maxLogoBytes) throw new Error(`it has ${size} bytes, but 1 MB is the limit`)
    return `data:image/${type};base64,${readFileSync(logo).toString('base64')}`
  } catch (error) {
    logger.warn(`window.logo is not shown: ${error instanceof Error ? error.message : 'it cannot be read'}`)
    return null
  }
}
