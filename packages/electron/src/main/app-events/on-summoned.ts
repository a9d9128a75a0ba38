import { app } from 'electron'

/** Calls back when the dock icon is clicked or the app is started a second time. */
export function onSummoned(listener: () => void): () => void {
  const onActivate = (): void => listener()
  app.on('activate', onActivate)
  app.on('second-instance', onActivate)
  return () => {
    app.off('activate', onActivate)
    app.off('second-instance', onActivate)
  }
}
