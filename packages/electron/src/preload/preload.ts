import { exposeLicensing } from './expose-licensing.ts'
import { reportHeight } from './report-height.ts'

exposeLicensing()
reportHeight()
