import { createRequire, registerHooks } from 'node:module'

// Loads the helper as ES modules and by `require`, on Node with a stand-in for Electron. Prints one sentence per fault.
const require = createRequire(import.meta.url)
const routes = { import: (name) => import(name), require: async (name) => require(name) }
const names = ['main', 'preload', 'renderer']

// What an activated launch doesn't need is in files of its own, by both routes.
const loaded = []
registerHooks({
  load(url, context, nextLoad) {
    loaded.push(url)
    return nextLoad(url, context)
  },
})

function tellWhatLoadsEarly(route) {
  const onDemand = /(?:activation-window|open-commerce|open-adapter|ask-at-gate|machine-id|ky)[^/]*\.c?js$/
  const early = loaded.splice(0).filter((url) => onDemand.test(url))
  if (early.length > 0) tell(`Loading the helper by ${route} loads ${early.join(' and ')} at once.`)
}

function tell(fault) {
  console.log(fault)
  process.exitCode = 1
}

for (const [route, load] of Object.entries(routes)) {
  const root = await load('@latchkey/electron').then(() => '', String)
  for (const name of [...names, 'dialog']) {
    const subpath = `@latchkey/electron/${name}`
    if (!root.includes(subpath))
      tell(`The root entry, by ${route}, does not name ${subpath}: ${root || 'it loads'}`)
  }
  for (const name of names) {
    await load(`@latchkey/electron/${name}`).catch((error) =>
      tell(`./${name} does not load by ${route}: ${error}`),
    )
  }
  tellWhatLoadsEarly(route)
  const { createLicensing } = await load('@latchkey/electron/main')
  try {
    createLicensing({ appId: 'com.example', service: { baseUrl: 'https://licensing.example.com/v1' } })
    tell(`createLicensing(), by ${route}, takes Node for Electron's main process.`)
  } catch (error) {
    if (!/belongs in Electron's main process/.test(String(error)))
      tell(`createLicensing(), by ${route}: ${error}`)
  }
}
