/** Fades in the words and the content below, unless the user prefers reduced motion. */
export function fadeIn(root: ParentNode): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
  for (const part of root.querySelectorAll('.hero > :not(.emblem), .body')) {
    part.animate({ opacity: [0, 1], translate: ['0 4px', '0'] }, { duration: 180, easing: 'ease-out' })
  }
}
