import { offlineProblemMessages } from '../../../shared/offline-problem.ts'
import type { OfflineStrings } from './offline-strings.ts'

export const strings: OfflineStrings = {
  heading: 'Activate without internet',
  lead: 'You need another device with internet, such as a phone.',
  requestHeading: 'Scan this code with a phone',
  requestLead: 'Or save the request, and open the address below on a device with internet.',
  fileHeading: 'Open this request on another device',
  fileLead: 'Save the request, and open the address below on a device with internet.',
  code: 'The request as a QR code',
  address: 'Address',
  request: 'Request',
  saveFile: 'Save as file',
  copyText: 'Copy as text',
  enterAnswer: 'Enter answer',
  answerHeading: 'Enter the answer',
  answerLead: 'Choose the file from the activation page, drop it here, or paste its text.',
  answer: 'Answer',
  chooseFile: 'Choose file',
  showRequest: 'Show request',
  activeUntil: 'Active without internet until {date}.',
  licenseEnds: 'License ends',
  endsSoon:
    'Activation without internet ends on {date}.\nTo renew it, connect to the internet once or activate without internet again.',
  releaseHeading: 'Free the seat of this device',
  releaseLead:
    'This device is deactivated.\nTo free its seat, open this release code on a device with internet.',
  releaseCode: 'Release code',
  showRelease: 'Show release code',
  problems: offlineProblemMessages,
}
