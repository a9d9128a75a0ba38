import type { OfflineStrings } from './offline-strings.ts'

export const strings: OfflineStrings = {
  heading: 'Ohne Internet aktivieren',
  lead: 'Sie brauchen ein zweites Gerät mit Internet, zum Beispiel ein Smartphone.',
  requestHeading: 'Scannen Sie den Code mit einem Smartphone',
  requestLead: 'Oder speichern Sie die Anfrage und öffnen Sie diese Adresse auf einem Gerät mit Internet.',
  fileHeading: 'Öffnen Sie die Anfrage auf einem anderen Gerät',
  fileLead: 'Speichern Sie die Anfrage und öffnen Sie diese Adresse auf einem Gerät mit Internet.',
  code: 'Die Anfrage als QR-Code',
  address: 'Adresse',
  request: 'Anfrage',
  saveFile: 'Als Datei speichern',
  copyText: 'Als Text kopieren',
  enterAnswer: 'Antwort eingeben',
  answerHeading: 'Antwort eingeben',
  answerLead:
    'Wählen Sie die Datei von der Aktivierungsseite aus, ziehen Sie sie hierher oder fügen Sie den Text ein.',
  answer: 'Antwort',
  chooseFile: 'Datei auswählen',
  showRequest: 'Anfrage anzeigen',
  activeUntil: 'Ohne Internet aktiviert bis {date}.',
  licenseEnds: 'Lizenz gültig bis',
  endsSoon:
    'Die Aktivierung ohne Internet endet am {date}.\nVerbinden Sie sich vorher einmal mit dem Internet, oder aktivieren Sie erneut ohne Internet.',
  releaseHeading: 'Platz dieses Geräts freigeben',
  releaseLead:
    'Dieses Gerät ist abgemeldet.\nÖffnen Sie diesen Freigabecode auf einem Gerät mit Internet, um den Platz freizugeben.',
  releaseCode: 'Freigabecode',
  showRelease: 'Freigabecode anzeigen',
  problems: {
    'no-offline-answer':
      'Das ist keine Antwort der Aktivierungsseite. Wählen Sie die Datei von dort aus oder kopieren Sie den ganzen Text.',
    'offline-answer-too-long':
      'Diese Datei ist zu groß für eine Antwort. Wählen Sie die Datei von der Aktivierungsseite aus.',
    'offline-request-as-answer':
      'Das ist die Anfrage eines Computers. Öffnen Sie sie auf der Aktivierungsseite und bringen Sie die Antwort zurück.',
    'online-lease-as-answer':
      'Das wurde für einen Computer mit Internet ausgestellt. Erstellen Sie hier eine Anfrage und bringen Sie die Antwort darauf zurück.',
    'offline-answer-torn':
      'Ein Teil der Antwort fehlt. Kopieren Sie den ganzen Text oder wählen Sie die Datei von der Aktivierungsseite aus.',
    'offline-answer-edited':
      'Die Antwort wurde unterwegs verändert. Öffnen Sie die Anfrage noch einmal auf der Aktivierungsseite und bringen Sie die Datei unverändert zurück.',
    'offline-answer-unknown-key':
      'Diese App erkennt die Signatur der Antwort nicht. Aktualisieren Sie die App oder wenden Sie sich an den Support.',
    'offline-answer-newer': 'Die Antwort ist für eine neuere Version dieser App. Aktualisieren Sie die App.',
    'offline-answer-other-app':
      'Diese Antwort ist für eine andere App. Öffnen Sie die Anfrage dieser App auf der Aktivierungsseite.',
    'offline-answer-other-device':
      'Diese Antwort ist für einen anderen Computer. Erstellen Sie hier eine Anfrage und öffnen Sie sie auf der Aktivierungsseite.',
    'offline-answer-other-request':
      'Diese Antwort gehört zu einer früheren Anfrage. Erstellen Sie hier eine neue und öffnen Sie sie auf der Aktivierungsseite.',
    'offline-answer-used':
      'Diese Antwort wurde auf diesem Computer schon verwendet. Erstellen Sie zum Verlängern eine neue Anfrage.',
    'offline-answer-expired':
      'Diese Antwort ist abgelaufen. Prüfen Sie das Datum dieses Computers und erstellen Sie dann eine neue Anfrage.',
  },
}
