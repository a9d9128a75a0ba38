import { describe, expect, test } from 'vitest'
import { createTranslator } from '../../src/dialog/situation/translator.ts'
import { type ProblemCode, problemMessages } from '../../src/shared/problem.ts'
import { type ActivationTexts, english, languages, loadStrings } from '../../src/texts/load-strings.ts'

const counted = ['graceLead', 'renewalLead', 'trialHeading'] as const
const keysOf = (strings: object): readonly string[] =>
  Array.from(
    new Set(Object.keys(strings).map((key) => key.replace(/\.(?:zero|one|two|few|many|other)$/u, ''))),
  ).sort()

const placeholdersOf = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort()
const englishTexts = new Map(Object.entries(english.strings))

test('every key of a text can be replaced, and a mistyped one is a compile error', () => {
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
  expect([...languages].sort().join(' ')).toBe('ar de en es fr it ja ko nl pl pt zh')
})

describe.for(languages.filter((language) => language !== 'en'))('%s', (language) => {
  test('has the texts that English has and no others, in its own words', async () => {
    const { strings } = await loadStrings(language)
    expect(keysOf(strings)).toEqual(keysOf(english.strings))
    for (const [key, text] of Object.entries(strings)) {
      expect(text.trim(), key).toBe(text)
      expect(text, key).not.toBe('')
      const sameAsEnglish = englishTexts.get(key)
      if (sameAsEnglish !== undefined && sameAsEnglish.length > 20) expect(text, key).not.toBe(sameAsEnglish)
    }
  })

  test('fills in what English fills in, and nothing else', async () => {
    const { strings } = await loadStrings(language)
    for (const [key, text] of Object.entries(strings)) {
      const [name = key, category] = key.split('.')
      const counterpart = englishTexts.get(key) ?? englishTexts.get(`${name}.other`) ?? ''
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
    for (const name of counted) {
      const forms = Object.keys(strings).filter((key) => key.startsWith(`${name}.`))
      expect(forms.sort()).toEqual(categories.map((category) => `${name}.${category}`).sort())
    }
  })
})

describe.for(languages)('%s, sentence by sentence', (language) => {
  test('runs no two sentences together', async () => {
    const texts = await loadStrings(language)
    const { problem } = createTranslator(texts, {}, 'Inkpad')
    const codes = Object.keys(problemMessages).filter((code): code is ProblemCode => code in problemMessages)
    const lines = new Map(
      codes.map((code) => [`problems.${code}`, problem({ code, message: problemMessages[code] })]),
    )
    for (const [key, text] of Object.entries(texts.strings)) {
      if (key.startsWith('offline.')) continue
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
    const polish = createTranslator(await loadStrings('pl'), {}, 'Inkpad')
    expect([1, 3, 5, 22].map((count) => polish.counted('trialHeading', count))).toEqual([
      'Został 1 dzień okresu próbnego',
      'Zostały 3 dni okresu próbnego',
      'Zostało 5 dni okresu próbnego',
      'Zostały 22 dni okresu próbnego',
    ])
  })

  test('writes dates and numbers as the region does', () => {
    const at = '2031-03-14T12:00:00.000000Z'
    expect(createTranslator({ ...english, locale: 'en-GB' }, {}, '').date(at)).toBe('14 March 2031')
    expect(createTranslator({ ...english, locale: 'en-US' }, {}, '').date(at)).toBe('March 14, 2031')
    expect(createTranslator({ ...english, locale: 'en-US' }, {}, '').number(1200)).toBe('1,200')
    expect(createTranslator({ ...english, locale: 'en-US' }, {}, '').seconds(1)).toBe('1 second')
    expect(createTranslator({ ...english, locale: 'en-US' }, {}, '').date('not a date')).toBe('not a date')
  })

  test('takes the developer’s words before its own, for counted texts and problems too', () => {
    const own = createTranslator(
      english,
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

  test('shows the message that a problem brings where the language has no text for it', () => {
    const translator = createTranslator(english, {}, 'Inkpad')
    const { problem }: { problem(problem: { code: string; message: string }): string } = Object(translator)
    expect(problem({ code: 'of-the-future', message: 'The moon is full. Wait for the sun.' })).toBe(
      'The moon is full.\nWait for the sun.',
    )
  })

  test('isolates what is filled into a sentence written the other way, and nothing else', async () => {
    const arabic = await loadStrings('ar')
    expect(createTranslator(arabic, {}, 'Inkpad').text('enterHeading')).toBe('تفعيل \u2068Inkpad\u2069')
    expect(createTranslator(english, {}, 'Inkpad').text('enterHeading')).toBe('Activate Inkpad')
    expect(createTranslator(english, {}, 'דיו!').text('activatedHeading')).toBe(
      '\u2068דיו!\u2069 is activated',
    )
    expect(createTranslator({ ...arabic, locale: 'ar-EG' }, {}, '').direction).toBe('rtl')
    expect(createTranslator({ ...english, locale: 'de' }, {}, '').direction).toBe('ltr')
  })

  test('does not fill in twice: an app named {key} keeps its name', () => {
    const odd = createTranslator(english, { keyFound: 'Key found: {key}' }, '{key}')
    expect(odd.text('keyFound', { key: '{app}' })).toBe('Key found: {app}')
    expect(odd.text('enterHeading', { key: 'x' })).toBe('Activate {key}')
  })
})

/** Width in em. Letters of other scripts take about half. */
function widthOf(line: string, values: Readonly<Record<string, string>>): number {
  const text = line.replace(/\{(\w+)\}/gu, (whole, name: string) => values[name] ?? whole)
  return [...text].reduce((width, letter) => width + (letter > '\u2e80' ? 1 : 0.55), 0)
}

test('Chinese sentences below a heading fit a line, because lines break after any character', async () => {
  const values = { app: 'A longer name', date: '2031年12月31日', count: '99', host: 'api.example.com' }
  for (const [name, text] of Object.entries((await loadStrings('zh')).strings)) {
    if (!/lead(?:\.\w+)?$/iu.test(name)) continue
    for (const line of text.split('\n')) expect(widthOf(line, values), line).toBeLessThanOrEqual(26)
  }
})

// Before Chromium 119, lines break only at punctuation and at zero-width spaces. A longer part breaks anywhere, even in
// front of a full stop.
test('Japanese texts fit a line between two breaks', async () => {
  for (const [name, text] of Object.entries((await loadStrings('ja')).strings)) {
    for (const part of text.split(/(?<=[、。？！\s\u200b])/u)) {
      const width = widthOf(part, { app: 'Inkpad', date: '2026年11月28日' })
      expect(width, part).toBeLessThanOrEqual(/heading$/iu.test(name) ? 18 : 25)
    }
  }
})
