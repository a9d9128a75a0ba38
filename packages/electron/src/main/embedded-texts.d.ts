/** Texts the build puts into the main bundle, so that nothing has to be found on disk in whatever way an app is packed. */
declare module 'virtual:latchkey/embedded-texts' {
  /** The activation window's page. */
  export const activationPageHtml: string
  /** The page's one script, an ES module. */
  export const activationPageScript: string
  /** The bundled preload script, CommonJS. */
  export const preloadScript: string
  /** Version of this package. */
  export const packageVersion: string
}
