import { realpathSync } from 'node:fs'
import { app } from 'electron'
import { activationPageUrl } from '../../shared/page-start.ts'
import { devServerOrigin } from '../origin.ts'
import { isTrustedSender, type SenderFacts } from './trusted-sender.ts'

/** Trusts messages from the app's own files, from the given origins, and, unless packaged, from the dev server. */
export function createSenderTrust(trustedOrigins: readonly string[]): (sender: SenderFacts) => boolean {
  const devServer = app.isPackaged ? null : devServerOrigin(process.env['ELECTRON_RENDERER_URL'])
  const origins = devServer === null ? trustedOrigins : [...trustedOrigins, devServer]

  return (sender) =>
    isTrustedSender(sender, {
      appPath: app.getAppPath(),
      origins,
      activationPageUrl,
      platform: process.platform,
      realPath: (path) => realpathSync.native(path),
    })
}
