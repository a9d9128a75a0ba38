/** Lets the words and what is below them appear softly, for whoever does not mind movement. */
export function fadeIn(root: ParentNode): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
  for (const part of root.querySelectorAll('.words, .body')) {
    part.animate({ opacity: [0, 1], translate: ['0 6px', '0'] }, { duration: 200, easing: 'ease-out' })
  }
}
