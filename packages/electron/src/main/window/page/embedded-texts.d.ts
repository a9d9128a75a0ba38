/** Files that the build embeds in the main bundle, so that they are found however the app is packaged. */
declare module 'virtual:latchkey/activation-page' {
  /** The activation window's page, with placeholders for its initial data and initial render. */
  export const activationPageHtml: string
  /** The page's script. */
  export const activationPageScript: string
}

/** The preload script of the activation window. */
declare module 'virtual:latchkey/preload-script' {
  /** The bundled preload script, CommonJS. */
  export const preloadScript: string
}

/** The part of the activation window's page that is loaded when the user activates without internet. */
declare module 'virtual:latchkey/offline-script' {
  /** A module script, with its texts in every language. */
  export const offlineScript: string
}

/** The texts of the activation window by language. The messages are also shown without the page. */
declare module 'virtual:latchkey/strings' {
  /**
   * Loads the texts for a BCP 47 locale, in English if the screen doesn't speak its language. Never rejects.
   *
   * @returns the texts, and the locale for dates and numbers.
   */
  export function loadStrings(wanted: string): Promise<{
    readonly locale: string
    readonly strings: {
      readonly notCoveredLead: string
      /** In English only those that the window reports by itself. */
      readonly problems: Readonly<
        Partial<Record<import('../../../shared/problem.ts').ProblemCode, string>>
      > & {
        readonly 'license-expired': string
      }
    }
  }>
}

/** Facts about this package. */
declare module 'virtual:latchkey/package' {
  /** Version of this package. */
  export const packageVersion: string
}

/** The initial render of the activation page, bundled by the build, so that this folder doesn't import the page. */
declare module 'virtual:latchkey/initial-render' {
  /** Returns styles and content of the element's shadow root; `null` if only the page itself can render its screen. */
  export function initialRender(
    start: import('../../../shared/page-start.ts').PageStart,
    nowMs: number,
  ): string | null
}
