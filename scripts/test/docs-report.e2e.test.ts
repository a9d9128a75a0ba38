import { startEmulator } from '@latchkey/emulator'
import { expect, onTestFinished } from 'vitest'
import { parsePage, readMarkdownPages } from '../docs/pages.ts'
import { buildRecipeApp } from '../docs/run-in-docs.ts'
import { test } from '../e2e/app-test.ts'

const blocks = (await readMarkdownPages()).map(parsePage).flatMap((page) => page.blocks)

/** The app of the first page, reduced to activating, meeting a login page, and reporting. */
const main = `
import { app } from 'electron'
import { licensing } from './licensing.ts'

app.on('window-all-closed', () => {})
void app.whenReady().then(async () => {
  await licensing.activate(process.env['LICENSE_KEY'] ?? '')
  await fetch(process.env['HOTEL'] ?? '', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"fault":"html"}' })
  await licensing.validate()
  console.log((await licensing.diagnose()) + '\\nend of report')
})
`

/** The names of a report's lines, without the outcomes, whose number varies. */
function lineNames(report: string): readonly string[] {
  return report
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('  '))
    .map((line) => /^[^:]+(?=:)/u.exec(line)?.[0] ?? line.replace(/\d+\.\d+\.\d+/u, '<version>'))
}

test('the support report in the docs has the lines of a real one', async ({ launch }) => {
  const shown = blocks.find(({ page, language }) => page === 'docs/support-desk.md' && language === 'text')
  const emulator = await startEmulator({ accessToken: null })
  onTestFinished(() => emulator.close())
  const project = await buildRecipeApp(
    blocks.filter(({ page }) => page === 'docs/start.md'),
    main,
  )
  onTestFinished(project.remove)

  const app = await launch({
    appPath: project.folder,
    env: {
      NOTES_LICENSE_SERVICE: emulator.baseUrl,
      LICENSE_KEY: emulator.demoLicense.id,
      HOTEL: `${emulator.origin}/_control/faults`,
    },
  })
  await expect.poll(() => app.output()).toContain('end of report')
  const report = /Latchkey .*(?=\nend of report)/su.exec(app.output())?.[0] ?? ''
  expect(report).toContain('validate: unexpected-answer (status 200)')
  expect(lineNames(shown?.code ?? '')).toEqual(lineNames(report))
})
