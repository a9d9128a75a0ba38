/** Texts the build puts into the main bundle, so that nothing has to be found on disk in whatever way an app is packed. */
declare module 'virtual:latchkey/embedded-texts' {
  /** The activation window's page, with places for its start and its first picture. */
  export const activationPageHtml: string
  /** The page's one script. */
  export const activationPageScript: string
  /** The page's texts by language. Of these it is the messages that are also shown without the page. */
  export const activationPageStrings: Readonly<
    Record<
      string,
      { readonly problems: Readonly<Record<import('../../shared/problem.ts').ProblemCode, string>> }
    >
  >
  /** The bundled preload script, CommonJS. */
  export const preloadScript: string
  /** Version of this package. */
  export const packageVersion: string
}

/** The drawing of the activation page's first picture, bundled by the build: this room imports nothing of the page. */
declare module 'virtual:latchkey/initial-render' {
  /**
   * Styles and content of the element's shadow root; `null` where only the page itself knows how it will look.
   * @param strings one language of `activationPageStrings`
   */
  export function initialRender(
    start: import('../../shared/page-start.ts').PageStart,
    nowMs: number,
  ): string | null
}
