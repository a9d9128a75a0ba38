/** Styles as text. The tag lets editors and the build recognize them. */
export const css: typeof String.raw = String.raw
