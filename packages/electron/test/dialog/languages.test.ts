import { describe, expect, test } from 'vitest'
import { createTranslator } from '../../src/dialog/scene/translator.ts'
import type { ActivationStrings, ScreenStrings } from '../../src/dialog/strings/activation-strings.ts'
import { strings as en } from '../../src/dialog/strings/en.ts'
import { languages, loadStrings } from '../../src/dialog/strings/load-strings.ts'
import { type ProblemCode, problemMessages } from '../../src/shared/problem.ts'
import { type ActivationTexts, countedTextNames, textNames } from '../../src/shared/text-names.ts'

/** Every text of a language by its key: `activate`, `trialHeading.one`, `problems.offline`. */
function textsOf(strings: ScreenStrings): Map<string, string> {
  const texts = new Map<string, string>()
  for (const [key, text] of Object.entries(strings)) {
    if (typeof text === 'string') texts.set(key, text)
    else for (const [part, inner] of Object.entries<string>(text)) texts.set(`${key}.${part}`, inner)
  }
  return texts
}

const placeholdersOf = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort()
const english = textsOf({ ...en, problems: problemMessages })

test('every key of a text can be replaced, and a mistyped one is a compile error', () => {
  const { problems: _, graceLead, renewalLead, trialHeading, ...plain } = en
  expect(textNames).toEqual(Object.keys(plain))
  expect(countedTextNames).toEqual(Object.keys({ graceLead, renewalLead, trialHeading }))

  const texts: Readonly<Record<string, string>> = { enterHeding: 'x' }
  const notLiteral: ActivationTexts = texts
  const keys: ActivationTexts = {
    enterHeading: 'x',
    'trialHeading.few': 'x',
    'problems.offline-answer-torn': 'x',
  }
  // @ts-expect-error
  const mistyped: ActivationTexts = { enterHeding: 'x' }
  // @ts-expect-error
  const mistypedForm: ActivationTexts = { 'trialHeading.lots': 'x' }
  expect([notLiteral, keys, mistyped, mistypedForm]).toHaveLength(4)
})

test('the screen speaks twelve languages', () => {
  expect([...languages].sort()).toEqual([
    'ar',
    'de',
    'en',
    'es',
    'fr',
    'it',
    'ja',
    'ko',
    'nl',
    'pl',
    'pt',
    'zh',
  ])
})

test('a text that a language lacks is a compile error', () => {
  const { activate: _, ...rest } = en
  // @ts-expect-error
  const incomplete: ActivationStrings<'one' | 'other'> = rest
  const { 'trial-over': __, ...problems } = problemMessages
  // @ts-expect-error
  const withoutProblem: ActivationStrings<'one' | 'other'> = { ...en, problems }
  // @ts-expect-error
  const withoutForm: ActivationStrings<'one' | 'few' | 'other'> = en
  expect([incomplete, withoutProblem, withoutForm]).toHaveLength(3)
})

describe.for(languages.filter((language) => language !== 'en'))('%s', (language) => {
  test('has every text, in its own words', async () => {
    const texts = textsOf((await loadStrings(language)).strings)
    for (const [key, text] of texts) {
      expect(text.trim(), key).toBe(text)
      expect(text, key).not.toBe('')
      const sameAsEnglish = english.get(key)
      if (sameAsEnglish !== undefined && sameAsEnglish.length > 20) expect(text, key).not.toBe(sameAsEnglish)
    }
  })

  test('fills in what English fills in, and nothing else', async () => {
    const texts = textsOf((await loadStrings(language)).strings)
    for (const [key, text] of texts) {
      const [name = key, category] = key.split('.')
      const counterpart = english.get(key) ?? english.get(`${name}.other`) ?? ''
      const wanted = placeholdersOf(counterpart)
      // "One day left" may contain the number as a word.
      const spelt = category === 'zero' || category === 'one' || category === 'two'
      const found = placeholdersOf(text)
      expect(spelt && !found.includes('{count}') ? [...found, '{count}'].sort() : found, key).toEqual(wanted)
    }
  })

  test('has a form for every number', async () => {
    const { strings, locale } = await loadStrings(language)
    const categories = new Intl.PluralRules(locale).resolvedOptions().pluralCategories
    for (const counted of [strings.graceLead, strings.trialHeading]) {
      expect(Object.keys(counted).sort()).toEqual([...categories].sort())
    }
  })
})

describe.for(languages)('%s, sentence by sentence', (language) => {
  test('runs no two sentences together', async () => {
    const { strings, locale } = await loadStrings(language)
    const { problem } = createTranslator(locale, strings, {}, 'Inkpad')
    const codes = Object.keys(problemMessages).filter((code): code is ProblemCode => code in problemMessages)
    const lines = new Map(
      codes.map((code) => [`problems.${code}`, problem({ code, message: problemMessages[code] })]),
    )
    for (const [key, text] of textsOf(strings)) {
      if (/Lead|Hint|fromLink|replacesLicense|keyFound|useClipboard|takingLong|deactivated$/u.test(key))
        lines.set(key, text)
    }
    for (const [key, text] of lines) {
      // A colon introduces the code below it.
      for (const line of text.split('\n')) expect(line, key).toMatch(/[.!?؟。:：]$/u)
      // After a sentence there is a space, and then another sentence.
      expect(text, key).not.toMatch(/[.!?؟](?=[\p{Lu}\p{Ll}])/u)
    }
  })
})

describe('the nearest language', () => {
  test.for([
    ['de-AT', 'de-AT', 'Aktivieren'],
    ['de_CH.UTF-8', 'de-CH', 'Aktivieren'],
    ['pt-BR', 'pt-BR', 'Ativar'],
    ['zh-Hans-CN', 'zh-Hans-CN', '激活'],
    ['en-GB', 'en-GB', 'Activate'],
    ['sv-SE', 'en', 'Activate'],
    ['constructor', 'en', 'Activate'],
    ['', 'en', 'Activate'],
    ['no locale at all!', 'en', 'Activate'],
  ])('%s speaks %s', async ([wanted = '', locale, activate]) => {
    const loaded = await loadStrings(wanted)
    expect(loaded.locale).toBe(locale)
    expect(loaded.strings.activate).toBe(activate)
  })
})

describe('a translator', () => {
  test('counts by the rules of its language', async () => {
    const { strings } = await loadStrings('pl')
    const polish = createTranslator('pl', strings, {}, 'Inkpad')
    expect([1, 3, 5, 22].map((count) => polish.counted('trialHeading', count))).toEqual([
      'Został 1 dzień okresu próbnego',
      'Zostały 3 dni okresu próbnego',
      'Zostało 5 dni okresu próbnego',
      'Zostały 22 dni okresu próbnego',
    ])
  })

  test('writes dates and numbers as the region does', () => {
    const at = '2031-03-14T12:00:00.000000Z'
    expect(createTranslator('en-GB', en, {}, '').date(at)).toBe('14 March 2031')
    expect(createTranslator('en-US', en, {}, '').date(at)).toBe('March 14, 2031')
    expect(createTranslator('en-US', en, {}, '').number(1200)).toBe('1,200')
    expect(createTranslator('en-US', en, {}, '').seconds(1)).toBe('1 second')
    expect(createTranslator('en-US', en, {}, '').date('not a date')).toBe('not a date')
  })

  test('takes the developer’s words before its own, for counted texts and problems too', () => {
    const own = createTranslator(
      'en',
      en,
      {
        activate: 'Unlock {app}',
        'trialHeading.other': '{count} free days',
        'problems.offline': 'No internet.',
      },
      'Inkpad',
    )
    expect(own.text('activate')).toBe('Unlock Inkpad')
    expect(own.counted('trialHeading', 3)).toBe('3 free days')
    expect(own.counted('trialHeading', 1)).toBe('1 day left in your trial')
    expect(own.problem({ code: 'offline', message: problemMessages.offline })).toBe('No internet.')
    expect(own.text('cancel')).toBe('Cancel')
  })

  test('shows the message that a problem brings where the language has no text for it', async () => {
    const english = createTranslator('en', en, {}, 'Inkpad')
    expect(english.problem({ code: 'disk-full', message: 'The disk is full. Free some space.' })).toBe(
      'The disk is full.\nFree some space.',
    )
    const { strings } = await loadStrings('de')
    const german = createTranslator('de', strings, {}, 'Inkpad')
    expect(german.problem({ code: 'disk-full', message: 'The disk is full.' })).toContain('Datenträger')
  })

  test('has the same English words for a problem as the main process', () => {
    expect(problemMessages).toMatchObject(en.problems)
  })

  test('isolates what is filled into a sentence written the other way, and nothing else', async () => {
    const { strings } = await loadStrings('ar')
    expect(createTranslator('ar', strings, {}, 'Inkpad').text('enterHeading')).toBe(
      'تفعيل \u2068Inkpad\u2069',
    )
    expect(createTranslator('en', en, {}, 'Inkpad').text('enterHeading')).toBe('Activate Inkpad')
    expect(createTranslator('en', en, {}, 'דיו!').text('activatedHeading')).toBe(
      '\u2068דיו!\u2069 is activated',
    )
    expect(createTranslator('ar-EG', strings, {}, '').direction).toBe('rtl')
    expect(createTranslator('de', en, {}, '').direction).toBe('ltr')
  })

  test('does not fill in twice: an app named {key} keeps its name', () => {
    const odd = createTranslator('en', en, { keyFound: 'Key found: {key}' }, '{key}')
    expect(odd.text('keyFound', { key: '{app}' })).toBe('Key found: {app}')
    expect(odd.text('enterHeading', { key: 'x' })).toBe('Activate {key}')
  })
})
