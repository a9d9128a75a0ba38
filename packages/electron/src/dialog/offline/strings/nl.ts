import type { OfflineStrings } from './offline-strings.ts'

export const strings: OfflineStrings = {
  heading: 'Activeren zonder internet',
  lead: 'Je hebt een ander apparaat met internet nodig, zoals een telefoon.',
  requestHeading: 'Scan deze code met een telefoon',
  requestLead: 'Of sla de aanvraag op en open dit adres op een apparaat met internet.',
  fileHeading: 'Open deze aanvraag op een ander apparaat',
  fileLead: 'Sla de aanvraag op en open dit adres op een apparaat met internet.',
  code: 'De aanvraag als QR-code',
  address: 'Adres',
  request: 'Aanvraag',
  saveFile: 'Opslaan als bestand',
  copyText: 'Kopiëren als tekst',
  enterAnswer: 'Antwoord invoeren',
  answerHeading: 'Voer het antwoord in',
  answerLead: 'Kies het bestand van de activeringspagina, sleep het hierheen of plak de tekst.',
  answer: 'Antwoord',
  chooseFile: 'Bestand kiezen',
  showRequest: 'Aanvraag tonen',
  activeUntil: 'Geactiveerd zonder internet tot {date}.',
  licenseEnds: 'Licentie geldig tot',
  endsSoon:
    'De activering zonder internet eindigt op {date}.\nMaak één keer verbinding met internet of activeer opnieuw zonder internet om te verlengen.',
  releaseHeading: 'Geef de plaats van dit apparaat vrij',
  releaseLead:
    'Dit apparaat is afgemeld.\nOpen deze vrijgavecode op een apparaat met internet om de plaats vrij te geven.',
  releaseCode: 'Vrijgavecode',
  showRelease: 'Vrijgavecode tonen',
  problems: {
    'no-offline-answer':
      'Dit is geen antwoord van de activeringspagina. Kies het bestand dat je daar kreeg of kopieer alle tekst.',
    'offline-answer-too-long':
      'Dit bestand is te groot om een antwoord te zijn. Kies het bestand van de activeringspagina.',
    'offline-request-as-answer':
      'Dit is de aanvraag van een computer. Open die op de activeringspagina en breng het antwoord hierheen.',
    'online-lease-as-answer':
      'Dit is afgegeven aan een computer met internet. Maak hier een aanvraag en breng het antwoord hierheen.',
    'offline-answer-torn':
      'Een deel van het antwoord ontbreekt. Kopieer alle tekst of kies het bestand van de activeringspagina.',
    'offline-answer-edited':
      'Het antwoord is onderweg gewijzigd. Open de aanvraag opnieuw op de activeringspagina en breng het bestand ongewijzigd hierheen.',
    'offline-answer-unknown-key':
      'Deze app herkent de handtekening van het antwoord niet. Werk de app bij of neem contact op met support.',
    'offline-answer-newer': 'Het antwoord is voor een nieuwere versie van deze app. Werk de app bij.',
    'offline-answer-other-app':
      'Dit antwoord is voor een andere app. Open de aanvraag van deze app op de activeringspagina.',
    'offline-answer-other-device':
      'Dit antwoord is voor een andere computer. Maak hier een aanvraag en open die op de activeringspagina.',
    'offline-answer-other-request':
      'Dit antwoord hoort bij een eerdere aanvraag. Maak hier een nieuwe en open die op de activeringspagina.',
    'offline-answer-used':
      'Dit antwoord is al gebruikt op deze computer. Maak een nieuwe aanvraag om de activering te verlengen.',
    'offline-answer-expired':
      'Dit antwoord is verlopen. Controleer de datum van deze computer en maak dan een nieuwe aanvraag.',
  },
}
