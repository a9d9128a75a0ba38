import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect } from 'vitest'
import { appPath, eventually, test } from './inkwell.ts'

// Without Latchkey: the notebook is tested, and so is the build that the benchmark compares with.
const bareAppPath = path.join(appPath, 'out-bare/main/index.cjs')

describe('the notebook', () => {
  test('keeps notes across starts, even what was typed right before quitting', async ({
    launch,
    userDataPath,
  }) => {
    const first = await launch({ appPath: bareAppPath })
    const page = await first.firstWindow()
    await page.getByRole('button', { name: 'New note' }).click()
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

  test('brings back a note that was deleted by mistake', async ({ launch }) => {
    const app = await launch({ appPath: bareAppPath })
    const page = await app.firstWindow()
    await page.getByRole('button', { name: 'Delete note' }).click()
    await page.getByText('Nothing written yet.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { name: 'Welcome to Inkwell' }).waitFor()
  })

  test('shows what a note says and runs nothing it contains', async ({ launch }) => {
    // The picture without data is not asked for, and the browser says so.
    const expectProblem = ({ text }: { text: string }) => text.includes('Refused to load the image')
    const app = await launch({ appPath: bareAppPath, expectProblem })
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

  test('stays on its page', async ({ launch }) => {
    const app = await launch({ appPath: bareAppPath })
    const page = await app.firstWindow()
    await page.getByRole('heading', { name: 'Welcome to Inkwell' }).waitFor()
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

  test('refuses names that would lead out of its folder', async ({ launch, userDataPath }) => {
    const app = await launch({ appPath: bareAppPath })
    const page = await app.firstWindow()
    const answer = await page.evaluate(() => window.notebook.write('../escaped', 'text'))
    expect(answer).toMatchObject({ ok: false })
    await expect(readFile(path.join(userDataPath, 'escaped.md'))).rejects.toThrow('ENOENT')
  })
})
