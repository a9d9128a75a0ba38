import { app } from 'electron'
import type { DeepLinkSource } from './deep-link.ts'

/** Links from Electron's app events. */
export const electronDeepLinks: DeepLinkSource = {
  onOpenUrl(listener) {
    const onOpenUrl = (event: { preventDefault(): void }, url: string): void => {
      listener(url, () => event.preventDefault())
    }
    app.on('open-url', onOpenUrl)
    return () => app.off('open-url', onOpenUrl)
  },
  onSecondInstance(listener) {
    const onSecondInstance = (_event: unknown, words: string[]): void => listener(words)
    app.on('second-instance', onSecondInstance)
    return () => app.off('second-instance', onSecondInstance)
  },
  startedWith: process.argv,
}
