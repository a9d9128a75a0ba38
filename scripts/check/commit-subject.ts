/** Most lists of commits cut off a longer subject. */
export const maxSubjectLength = 65

/** First words of a subject that describes instead of commanding: "Adds", "Fixed", "The gateway …". */
const notImperative =
  /^(?:the|a|an|it|this|what|who|when|where|whoever|whatever|nobody|no)\b|^(?!(?:need|feed|embed|seed|speed)\b)[a-z]+ed\b|^(?:adds|fixes|changes|makes|removes|updates|moves|uses|lets|keeps)\b/iu

/** @returns what is wrong with a commit's subject, in one sentence; `null` if nothing is. */
export function subjectProblem(subject: string): string | null {
  if (subject.length > maxSubjectLength) {
    return `"${subject}" has ${subject.length} characters; at most ${maxSubjectLength} are allowed. Put the reason into the body.`
  }
  if (notImperative.test(subject)) {
    return `"${subject}" isn't an imperative. Start with a verb, as in "Fix hang on quit in Electron 25".`
  }
  if (!/^[A-Z]/u.test(subject) || subject.endsWith('.')) {
    return `"${subject}" has to start with a capital letter and end without a period.`
  }
  return null
}
