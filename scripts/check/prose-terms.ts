/**
 * Words and phrases that our docs and messages avoid, each with its replacement: a case-insensitive regular expression,
 * and what to write instead. CONTRIBUTING.md describes how we write.
 */
export const proseTerms: readonly (readonly [wrong: string, right: string])[] = [
  // Words for things
  ['activation screens?\\b', 'activation window'],
  ['hand-?made', 'your own'],
  ['out of reach', 'unreachable'],
  ['\\btroubles?\\b', 'problem'],
  ['\\bthe house\\b', 'the code'],
  ['e-mails?\\b', 'email'],
  ['behaviour', 'behavior'],
  ['colour', 'color'],
  ['recognis', 'recogniz'],
  ['licence', 'license'],
  ['installed anew', 'reinstalled'],
  ['box of the system', 'system dialog'],
  ['from one hand', 'from one vendor'],
  ['wishes\\b', 'requests'],
  ['no seat left', 'no seats left'],
  // Inverted and personified sentences
  ['\\bwhoever\\b', 'people who'],
  ['\\bnobody is told\\b', 'no listener is notified'],
  ['\\b(?:is|are) told\\b', 'is notified'],
  ['\\b(?:is|are) said (?:in|on|by)\\b', 'see'],
  ['\\bsays so\\b', 'reports it'],
  ['\\bcomes to\\b', 'results in'],
  ['\\bstands? on\\b', 'depends on'],
  ['\\bgo(?:es)? on (?:using|with)\\b', 'continue'],
  ['\\bbring(?:s)? along\\b', 'include'],
  ['\\bfor ever\\b', 'forever'],
  ['\\bin so many words\\b', 'explicitly'],
  ['\\ball the same\\b', 'anyway'],
  ['\\bshould the\\b', 'if the'],
  ['\\bshall\\b', 'should'],
  ['\\bthereby\\b', 'this way'],
  ['\\bin between\\b', 'between them'],
  ['\\bof its own accord\\b', 'automatically'],
  ['\\bwith big numbers\\b', 'with more iterations'],
]

/** A sentence with more words than this is two sentences. */
export const maxWordsInSentence = 40
