import { openPage } from '../../../src/dialog/open-page.ts'
import { licensing } from '../../../src/renderer/licensing.ts'
import { loadStrings } from '../../../src/texts/load-strings.ts'

// The page of the activation window in every language, so that a test can change it; it asks for all it shows.
openPage(licensing, loadStrings)
