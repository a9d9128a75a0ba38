import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { shareApp } from '@latchkey/scripts/e2e/app-test'
import type { LaunchedApp } from '@latchkey/scripts/e2e/launch-app'
import { describe, expect } from 'vitest'
import { appPath, eventually, test } from './inkwell.ts'

// Without Latchkey: this tests the notebook and the build that the benchmark compares with.
const bareAppPath = path.join(appPath, 'out-bare/main/index.cjs')

describe('the notebook', () => {
  test('keeps notes across starts, even what was typed right before quitting', async ({
    launch,
    userDataPath,
  }) => {
    const first = await launch({ appPath: bareAppPath })
    const page = await first.firstWindow()
    await page.getByRole('button', { name: 'New note' }).click()
    await page.getByRole('button', { name: 'Untitled' }).waitFor()
    await page.getByLabel('Title').fill('Plan')
    await page.getByLabel('Title').press('Enter')
    await page.getByRole('button', { name: 'Plan' }).waitFor()
    await page.getByLabel('Text').fill('typed right before quitting')
    await first.close()
    expect(await readFile(path.join(userDataPath, 'notes/Plan.md'), 'utf8')).toBe(
      'typed right before quitting',
    )

    const second = await launch({ appPath: bareAppPath })
    const again = await second.firstWindow()
    await again.getByLabel('Search notes').fill('right before')
    const found = again.getByRole('navigation', { name: 'Notes' }).getByRole('button')
    await eventually(() => found.allTextContents()).toEqual([expect.stringContaining('Plan')])
  })

  test('asks before it closes on text that cannot be saved, and saves it once it can', async ({
    launch,
    userDataPath,
  }) => {
    const notes = path.join(userDataPath, 'notes')
    const app = await launch({ appPath: bareAppPath })
    const page = await app.firstWindow()
    await page.getByRole('button', { name: 'New note' }).click()
    await page.getByRole('button', { name: 'Untitled' }).waitFor()
    await rm(notes, { recursive: true })
    await page.getByLabel('Text').fill('written without a folder')
    await page.getByText('The notebook folder cannot be used').waitFor()

    const questions = await answerQuestions(app, 'Keep writing')
    await closeWindow(app)
    await eventually(questions).toEqual(['Your changes could not be saved.'])
    expect(await page.getByLabel('Text').inputValue()).toBe('written without a folder')

    await mkdir(notes)
    await app.close()
    expect(await readFile(path.join(notes, 'Untitled.md'), 'utf8')).toBe('written without a folder')
  })

  test('closes on text that cannot be saved when its user wants it to', async ({ launch, userDataPath }) => {
    const app = await launch({ appPath: bareAppPath })
    const page = await app.firstWindow()
    await page.getByRole('heading', { name: 'Welcome to Inkwell' }).waitFor()
    await answerQuestions(app, 'Close without saving')
    await rm(path.join(userDataPath, 'notes'), { recursive: true })
    await page.getByLabel('Text').fill('typed right before closing')
    // Throws if the app doesn't exit.
    await app.close()
  })
})

describe('the notebook while it is open', () => {
  const sharedApp = shareApp({
    appPath: bareAppPath,
    // The browser reports that it doesn't load the image that isn't local data.
    expectProblem: ({ text }) => text.includes('Refused to load the image'),
  })

  test('brings back a note that was deleted by mistake', async () => {
    const app = sharedApp()
    const page = await app.firstWindow()
    await page.getByRole('button', { name: 'Delete note' }).click()
    await page.getByText('Nothing written yet.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { name: 'Welcome to Inkwell' }).waitFor()
  })

  test('opens links to the web and to mail outside, and nothing else', async () => {
    const app = sharedApp()
    const page = await app.firstWindow()
    await page.getByRole('heading', { name: 'Welcome to Inkwell' }).waitFor()
    await app.electronApp.evaluate(({ shell }) => {
      const opened: string[] = []
      Reflect.set(globalThis, 'opened', opened)
      shell.openExternal = async (url) => void opened.push(url)
    })
    const links = [
      'file:///etc/hostname',
      'http://example.com/',
      'smb://example.com/share',
      'inkwell://activate?license=x',
      'https://example.com/help',
      'mailto:help@example.com',
    ]
    await page.evaluate((urls) => {
      for (const url of urls) window.open(url)
    }, links)
    const opened = () => app.electronApp.evaluate(() => Reflect.get(globalThis, 'opened'))
    await eventually(opened).toEqual(['https://example.com/help', 'mailto:help@example.com'])
    expect(app.electronApp.windows()).toHaveLength(1)
  })

  test('is denied every permission', async () => {
    const app = sharedApp()
    const page = await app.firstWindow()
    await page.getByRole('heading', { name: 'Welcome to Inkwell' }).waitFor()
    const answers = await page.evaluate(async () => {
      const name = (error: unknown) => (error instanceof Error ? error.name : String(error))
      return {
        notification: await Notification.requestPermission(),
        midi: await navigator.requestMIDIAccess({ sysex: true }).then(() => 'granted', name),
      }
    })
    expect(answers).toEqual({ notification: 'denied', midi: 'SecurityError' })
  })

  test('refuses names that would lead out of its folder', async () => {
    const app = sharedApp()
    const page = await app.firstWindow()
    const answer = await page.evaluate(() => window.notebook.write('../escaped', 'text'))
    expect(answer).toMatchObject({ ok: false })
    await expect(readFile(path.join(app.userDataPath, 'escaped.md'))).rejects.toThrow('ENOENT')
  })

  test('shows a note’s text and never runs its content', async () => {
    const app = sharedApp()
    const page = await app.firstWindow()
    await page
      .getByLabel('Text')
      .fill(
        [
          '# Safe',
          '<script>window.ran = "script"</script>',
          '<img src="x" onerror="window.ran = \'handler\'">',
          '<iframe srcdoc="<script>parent.ran = \'frame\'</script>"></iframe>',
          '[link](javascript:window.ran="link")',
          '<form action="https://example.com"><button>send</button></form>',
        ].join('\n\n'),
      )
    const preview = page.getByLabel('Preview')
    await preview.getByRole('heading', { name: 'Safe' }).waitFor()
    await preview.getByText('link').click()
    expect(await preview.locator('script, iframe, form, [onerror], [href^=javascript]').count()).toBe(0)
    expect(await page.evaluate(() => Reflect.get(window, 'ran'))).toBeUndefined()
    expect(app.electronApp.windows()).toHaveLength(1)
  })

  // The last one: Playwright waits for a navigation that was prevented.
  test('stays on its page', async () => {
    const app = sharedApp()
    const page = await app.firstWindow()
    await page.getByLabel('Text').waitFor()
    expect(await page.evaluate(() => window.open('file:///etc/hostname') === null)).toBe(true)
    const isPrevented = await app.electronApp.evaluate(async ({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents
      const asked = new Promise<boolean>((resolve) => {
        contents?.once('will-navigate', (event) => resolve(event.defaultPrevented))
      })
      void contents?.executeJavaScript('location.href = "file:///etc/hostname"')
      return await asked
    })
    expect(isPrevented).toBe(true)
    expect(app.electronApp.windows()).toHaveLength(1)
  })
})

/** Answers the app's message boxes with this button, because nobody is there to click it. */
async function answerQuestions(app: LaunchedApp, label: string): Promise<() => Promise<unknown>> {
  await app.electronApp.evaluate(({ dialog }, pressed) => {
    const asked: string[] = []
    Reflect.set(globalThis, 'asked', asked)
    const answer = (_window: unknown, question: { readonly message: string; readonly buttons: string[] }) => {
      asked.push(question.message)
      return question.buttons.indexOf(pressed)
    }
    Reflect.set(dialog, 'showMessageBoxSync', answer)
  }, label)
  return () => app.electronApp.evaluate(() => Reflect.get(globalThis, 'asked'))
}

async function closeWindow(app: LaunchedApp): Promise<void> {
  await app.electronApp.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
}
