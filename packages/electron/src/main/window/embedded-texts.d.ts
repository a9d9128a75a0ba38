/** Files that the build embeds in the main bundle, so that they are found however the app is packaged. */
declare module 'virtual:latchkey/embedded-texts' {
  /** The activation window's page, with placeholders for its initial data and initial render. */
  export const activationPageHtml: string
  /** The page's script. */
  export const activationPageScript: string
  /** The page's texts by language. The messages are also shown without the page. */
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

/** The initial render of the activation page, bundled by the build, so that this folder doesn't import the page. */
declare module 'virtual:latchkey/initial-render' {
  /**
   * Returns styles and content of the element's shadow root; `null` if only the page itself can render its screen.
   * @param strings one language of `activationPageStrings`
   */
  export function initialRender(
    start: import('../../shared/page-start.ts').PageStart,
    nowMs: number,
  ): string | null
}
