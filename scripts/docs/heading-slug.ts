import { slug } from 'github-slugger'

/** Returns the anchor of a heading as GitHub creates it. The site does the same, so links work in both places. */
export function headingSlug(text: string): string {
  return slug(text)
}
