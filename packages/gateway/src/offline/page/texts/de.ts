import type { PageTexts } from '../page-texts.ts'

export const de: PageTexts = {
  title: 'Einen Computer ohne Internet aktivieren',
  lead: 'Öffnen Sie die Anfrage oder den Freigabecode, den die App auf diesem Computer anzeigt.',
  chooseFile: 'Datei auswählen',
  pasteLabel: 'Oder den Text einfügen',
  continue: 'Weiter',
  device: 'Computer',
  license: 'Lizenzschlüssel',
  app: 'App',
  confirm: 'Diesen Computer aktivieren?',
  activate: 'Aktivieren',
  working: 'Einen Moment…',
  doneHeading: 'Bringen Sie diese Antwort zum Computer',
  doneLead:
    'Wählen Sie in der App die Datei aus oder fügen Sie den Text ein. Die Antwort gilt einmal und nur auf diesem Computer.',
  validUntil: 'Gültig bis {date}',
  saveFile: 'Antwortdatei speichern',
  copy: 'Text kopieren',
  copied: 'Kopiert',
  answerText: 'Text der Antwort',
  answerCode: 'Antwort als QR-Code',
  seatsHeading: 'Alle Plätze dieser Lizenz sind belegt',
  seatsLead: 'Geben Sie ein Gerät frei, um diesen Computer zu aktivieren.',
  release: '{name} freigeben',
  startOver: 'Neu beginnen',
  releaseConfirm: 'Den Platz dieses Computers freigeben?',
  deactivated: 'Abgemeldet',
  freeSeat: 'Platz freigeben',
  freedHeading: 'Der Platz ist frei',
  freedLead: 'Sie können mit dieser Lizenz jetzt einen anderen Computer aktivieren.',
  alreadyFreed: 'Dieser Platz war schon frei. Sie müssen nichts weiter tun.',
  problems: {
    noRequest:
      'Das ist keine Anfrage der App. Wählen Sie die Datei aus oder kopieren Sie den Text, den die App anzeigt.',
    answer: 'Das ist die Antwort. Bringen Sie sie zum Computer und öffnen Sie sie dort in der App.',
    torn: 'Ein Teil der Anfrage fehlt. Kopieren Sie alles oder wählen Sie die Datei aus.',
    newer: 'Die App ist neuer als diese Seite. Wenden Sie sich an den Entwickler der App.',
    releaseTorn: 'Ein Teil des Freigabecodes fehlt. Kopieren Sie alles oder wählen Sie die Datei aus.',
    releaseEdited:
      'Der Freigabecode wurde unterwegs verändert. Bringen Sie ihn noch einmal hierher. Es wurde kein Platz freigegeben.',
    releaseUnknownKey:
      'Diese Seite erkennt den Freigabecode nicht. Wenden Sie sich an den Support der App. Es wurde kein Platz freigegeben.',
    unknown:
      'Wir haben diesen Lizenzschlüssel nicht gefunden. Prüfen Sie ihn in der App und erstellen Sie eine neue Anfrage.',
    wrongProduct:
      'Dieser Lizenzschlüssel gehört zu einem anderen Produkt. Geben Sie in der App den richtigen ein.',
    expired: 'Diese Lizenz ist abgelaufen. Verlängern Sie sie und versuchen Sie es erneut.',
    notActive: 'Diese Lizenz ist nicht aktiv. Wenden Sie sich an den Support.',
    refused:
      'Aktivierung abgelehnt. Vielleicht ist kein Platz mehr frei oder die Lizenz nicht aktiv. Wenden Sie sich an den Support.',
    unlisted: 'Diese Lizenz lässt sich nicht ohne Internet aktivieren. Wenden Sie sich an den Support.',
    tooMany: 'Zu viele Anfragen. Versuchen Sie es in einer Minute erneut.',
    unavailable: 'Wir konnten den Lizenzdienst nicht erreichen. Versuchen Sie es gleich noch einmal.',
  },
}
