/** Styles as minified text: the build replaces the import. */
declare module '*.css' {
  const styles: string
  // biome-ignore lint/style/noDefaultExport: a style sheet has no names.
  export default styles
}
