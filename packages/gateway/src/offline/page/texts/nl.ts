import type { PageTexts } from '../page-texts.ts'

export const nl: PageTexts = {
  title: 'Een computer zonder internet activeren',
  lead: 'Open de aanvraag of de vrijgavecode die de app op die computer toont.',
  chooseFile: 'Bestand kiezen',
  pasteLabel: 'Of plak de tekst',
  continue: 'Doorgaan',
  device: 'Computer',
  license: 'Licentiesleutel',
  app: 'App',
  confirm: 'Deze computer activeren?',
  activate: 'Activeren',
  working: 'Een ogenblik…',
  doneHeading: 'Breng dit antwoord naar de computer',
  doneLead:
    'Kies in de app het bestand of plak de tekst. Het antwoord werkt één keer en alleen op die computer.',
  validUntil: 'Geldig tot {date}',
  saveFile: 'Antwoordbestand opslaan',
  copy: 'Tekst kopiëren',
  copied: 'Gekopieerd',
  answerText: 'Tekst van het antwoord',
  answerCode: 'Antwoord als QR-code',
  seatsHeading: 'Alle plaatsen van deze licentie zijn in gebruik',
  seatsLead: 'Geef een apparaat vrij om deze computer te activeren.',
  release: '{name} vrijgeven',
  startOver: 'Opnieuw beginnen',
  releaseConfirm: 'De plaats van deze computer vrijgeven?',
  deactivated: 'Afgemeld',
  freeSeat: 'Plaats vrijgeven',
  freedHeading: 'De plaats is vrij',
  freedLead: 'Je kunt nu een andere computer activeren met deze licentie.',
  alreadyFreed: 'Deze plaats was al vrij. Je hoeft niets meer te doen.',
  problems: {
    noRequest: 'Dit is geen aanvraag van de app. Kies het bestand of kopieer de tekst die de app toont.',
    answer: 'Dit is het antwoord. Breng het naar de computer en open het daar in de app.',
    torn: 'Een deel van de aanvraag ontbreekt. Kopieer alles of kies het bestand.',
    newer: 'De app is nieuwer dan deze pagina. Neem contact op met de ontwikkelaar.',
    releaseTorn: 'Een deel van de vrijgavecode ontbreekt. Kopieer alles of kies het bestand.',
    releaseEdited:
      'De vrijgavecode is onderweg veranderd. Breng hem nog een keer hierheen. Er is geen plaats vrijgegeven.',
    releaseUnknownKey:
      'Deze pagina herkent de vrijgavecode niet. Neem contact op met de ondersteuning van de app. Er is geen plaats vrijgegeven.',
    unknown:
      'We hebben deze licentiesleutel niet gevonden. Controleer hem in de app en maak een nieuwe aanvraag.',
    wrongProduct: 'Deze licentiesleutel is van een ander product. Voer in de app de juiste in.',
    expired: 'Deze licentie is verlopen. Verleng haar en probeer het opnieuw.',
    notActive: 'Deze licentie is niet actief. Neem contact op met de klantenservice.',
    refused:
      'De activering is geweigerd. Misschien is er geen plaats meer vrij of is de licentie niet actief. Neem contact op met de klantenservice.',
    unlisted:
      'Deze licentie kan niet zonder internet worden geactiveerd. Neem contact op met de klantenservice.',
    tooMany: 'Te veel aanvragen. Probeer het over een minuut opnieuw.',
    unavailable: 'We konden de licentieservice niet bereiken. Probeer het zo opnieuw.',
  },
}
