import { exposeLicensing } from '@latchkey/electron/preload'

exposeLicensing()
