import { slug } from 'github-slugger'

/** The anchor of a heading, as GitHub makes it: the site takes the same, so that a link works in both places. */
export function headingSlug(text: string): string {
  return slug(text)
}
