import type { ActivationStrings } from './activation-strings.ts'

export const strings: ActivationStrings<'one' | 'other'> = {
  starting: 'Einen Moment …',
  enterHeading: '{app} aktivieren',
  enterLead: 'Fügen Sie den Lizenzschlüssel aus Ihrer Kaufbestätigung ein.',
  keyLabel: 'Lizenzschlüssel',
  activate: 'Aktivieren',
  activateOffline: 'Ohne Internet aktivieren',
  checking: 'Wird geprüft …',
  working: 'Einen Moment …',
  keyFound: 'Schlüssel gefunden.',
  useClipboard: 'Schlüssel in der Zwischenablage gefunden.',
  fromLink: 'Dieser Schlüssel stammt aus dem geöffneten Link.',
  replacesLicense: 'Die Aktivierung ersetzt Ihre aktuelle Lizenz.',
  chooseKeyHeading: 'Welcher ist Ihr Lizenzschlüssel?',
  chooseKeyLead: 'Der eingefügte Text enthält mehrere Schlüssel.',
  chooseKey: 'Wählen Sie den Schlüssel, den Sie aktivieren möchten.',
  takingLong: 'Das dauert länger als üblich.',
  stopWaiting: 'Nicht länger warten',

  activatedHeading: '{app} ist aktiviert',
  activatedLead: 'Alles bereit, auch offline.',
  endsSoonLead: 'Ihre Lizenz endet am {date}.',
  devicesInUse: 'Genutzte Geräte',
  usedOfLimit: '{used} von {limit}',
  validUntil: 'Gültig bis',
  updatesUntil: 'Updates bis',
  noEndDate: 'Unbefristet',
  continue: 'Weiter',

  deactivate: 'Dieses Gerät abmelden',
  deactivateHeading: 'Dieses Gerät abmelden?',
  deactivateLead:
    'Dadurch wird ein Platz für einen anderen Computer frei.\nFür {app} auf diesem Gerät brauchen Sie dann wieder den Schlüssel.',
  deactivateNow: 'Abmelden',
  deactivated: 'Dieses Gerät ist abgemeldet, und sein Platz ist frei.',
  seatKept: 'Dieses Gerät ist abgemeldet, aber sein Platz beim vorherigen Lizenzdienst ist noch belegt.',
  cancel: 'Abbrechen',

  noNetworkHeading: 'Keine Verbindung',
  noAnswerHeading: 'Noch keine Antwort',
  noNetworkLead: 'Der Lizenzdienst ist nicht erreichbar.',
  nextTry: 'Nächster Versuch in {time}',
  worksMeanwhile: 'Sie können {app} inzwischen weiter nutzen.',
  keyIsKept: 'Ihr Schlüssel ist gespeichert, die Aktivierung wird automatisch fortgesetzt.',
  tryNow: 'Jetzt versuchen',
  changeKey: 'Schlüssel ändern',
  useOtherKey: 'Anderen Schlüssel verwenden',

  noSeatHeading: 'Keine Plätze mehr frei',
  noSeatLead: 'Geben Sie ein Gerät frei, um {app} auf diesem Gerät zu aktivieren.',
  seatsInUse: '{used} von {limit} Plätzen belegt',
  deviceList: 'Geräte mit dieser Lizenz',
  activatedOn: 'Aktiviert am {date}',
  thisDevice: 'Dieses Gerät',
  release: 'Freigeben und hier aktivieren',
  chooseDevice: 'Wählen Sie das Gerät, das freigegeben werden soll.',
  loadingDevices: 'Geräte werden geladen …',
  devicesUnavailable: 'Die Geräte konnten nicht angezeigt werden.',
  buySeats: 'Plätze kaufen',
  account: 'Kundenkonto',

  expiredHeading: 'Ihre Lizenz ist abgelaufen',
  expiredLead: 'Sie endete am {date}.\nVerlängern Sie sie, um {app} weiter zu nutzen.',
  renew: 'Lizenz verlängern',
  checkAgain: 'Erneut prüfen',
  notCoveredHeading: 'Diese Version ist nicht enthalten',
  notCoveredLead:
    'Ihre Lizenz umfasst Versionen, die bis zum {date} erschienen sind.\nVerlängern Sie sie oder nutzen Sie eine frühere Version.',
  coveredVersion: 'Frühere Version laden',
  suspendedHeading: 'Ihre Lizenz ist gesperrt',
  inactiveHeading: 'Ihre Lizenz ist nicht aktiv',
  contactSupport: 'Wenden Sie sich an den Support.',
  reportedStatus: 'Gemeldeter Status',
  movedHeading: 'Dieses Gerät wurde freigegeben',
  activateAgain: 'Erneut aktivieren',

  graceHeading: 'Offline',
  graceLead: {
    one: 'Der Lizenzdienst ist nicht erreichbar.\n{app} läuft noch {count} Tag weiter.',
    other: 'Der Lizenzdienst ist nicht erreichbar.\n{app} läuft noch {count} Tage weiter.',
  },
  renewalLead: {
    one: 'Ihre Lizenz ist abgelaufen; eine Verlängerung ließ sich nicht prüfen.\n{app} läuft noch {count} Tag weiter.',
    other:
      'Ihre Lizenz ist abgelaufen; eine Verlängerung ließ sich nicht prüfen.\n{app} läuft noch {count} Tage weiter.',
  },
  graceOverHeading: 'Mit dem Internet verbinden',
  graceOverLead:
    'Ihre Lizenz wurde länger nicht geprüft.\nVerbinden Sie sich und prüfen Sie erneut.\nDer Schlüssel ist nicht nötig.',

  trialHeading: {
    one: 'Noch {count} Tag Testzeit',
    other: 'Noch {count} Tage Testzeit',
  },
  trialLead: 'Bis zum {date} funktioniert alles.',
  trialHint: 'Sie haben einen Lizenzschlüssel? Fügen Sie ihn jederzeit hier ein.',
  continueTrial: 'Weiter testen',
  trialOverHeading: 'Ihre Testzeit ist vorbei',
  trialOverLead: 'Geben Sie einen Lizenzschlüssel ein, um {app} weiter zu nutzen.',

  storageHeading: 'Bitte erneut aktivieren',
  notSavedHeading: 'Die Lizenz konnte nicht gespeichert werden',
  refusedHeading: 'Aktivierung abgelehnt',
  misconfiguredHeading: 'Lizenzierung nicht richtig eingerichtet',
  misconfiguredLead: 'Das liegt nicht an Ihnen.\nSenden Sie diesen Code an den Hersteller von {app}:',
  copyCode: 'Angaben kopieren',

  buy: 'Lizenz kaufen',
  help: 'Hilfe',
  support: 'Hilfe erhalten',
  copyDetails: 'Support-Angaben kopieren',
  copied: 'Kopiert',

  problems: {
    'empty-text': 'Es wurde nichts eingegeben. Fügen Sie Ihren Lizenzschlüssel ein.',
    'no-license-key':
      'Dieser Text enthält keinen Lizenzschlüssel. Kopieren Sie ihn aus Ihrer Kaufbestätigung.',
    'several-license-keys':
      'Dieser Text enthält mehrere Lizenzschlüssel. Fügen Sie nur den ein, den Sie verwenden möchten.',
    'text-too-long': 'Dieser Text ist zu lang für einen Lizenzschlüssel. Fügen Sie nur den Schlüssel ein.',
    'license-not-found':
      'Wir haben diesen Lizenzschlüssel nicht gefunden. Prüfen Sie, ob er vollständig kopiert wurde.',
    'wrong-product':
      'Dieser Lizenzschlüssel gehört zu einem anderen Produkt. Verwenden Sie den Lizenzschlüssel, den Sie für diese App gekauft haben.',
    'license-expired': 'Diese Lizenz ist abgelaufen. Verlängern Sie sie, um die App weiter zu nutzen.',
    'license-suspended': 'Diese Lizenz ist gesperrt. Wenden Sie sich an den Support.',
    'license-inactive': 'Diese Lizenz ist nicht aktiv. Wenden Sie sich an den Support.',
    'no-seat-left':
      'Diese Lizenz wird auf so vielen Geräten genutzt, wie sie erlaubt. Geben Sie eines frei, um sie hier zu nutzen.',
    'activation-refused':
      'Der Schlüssel wurde abgelehnt. Vielleicht ist die Lizenz abgelaufen oder gesperrt.',
    'activation-paused':
      'Diese Aktivierung wurde vor mehr als einem Tag begonnen. Geben Sie den Lizenzschlüssel noch einmal ein, um sie abzuschließen.',
    'activation-unconfirmed':
      'Die Verbindung brach ab, bevor die Aktivierung bestätigt war. Versuchen Sie es erneut, um sie abzuschließen.',
    'license-of-other-service':
      'Diese App nutzt jetzt einen anderen Lizenzdienst. Geben Sie Ihren neuen Lizenzschlüssel ein.',
    'seat-may-be-taken':
      'Die Verbindung brach ab, bevor die Aktivierung bestätigt war. Vielleicht belegt sie schon einen Platz. Versuchen Sie es erneut, oder geben Sie dieses Gerät zuerst in Ihrem Kundenkonto frei.',
    'test-license-key':
      'Dieser Lizenzschlüssel ist nur zum Testen. Verwenden Sie den Schlüssel aus Ihrer Kaufbestätigung.',
    'moved-to-another-device':
      'Ihre Lizenz wurde wohl auf ein anderes Gerät übertragen. Aktivieren Sie erneut, um sie hier zu nutzen.',
    unconfirmed: 'Der Lizenzdienst gab zu diesem Gerät keine klare Antwort. Er wird erneut gefragt.',
    'adoption-unavailable':
      'Der Lizenzdienst hat die Geräte dieser Lizenz nicht genannt, daher konnte eine frühere Aktivierung dieses Geräts nicht wiederverwendet werden.',
    'devices-not-listed':
      'Der Lizenzdienst zeigt die Geräte nicht in der App an. Geben Sie ein Gerät in Ihrem Kundenkonto frei.',
    'device-not-found': 'Dieses Gerät gehört nicht mehr zur Lizenz. Laden Sie die Liste neu.',
    'deactivation-pending':
      'Dieses Gerät ist abgemeldet. Sein Platz wird frei, sobald der Lizenzdienst erreichbar ist.',
    offline: 'Der Lizenzdienst ist nicht erreichbar. Prüfen Sie die Internetverbindung.',
    timeout: 'Der Lizenzdienst hat nicht rechtzeitig geantwortet. Versuchen Sie es gleich noch einmal.',
    'service-error': 'Der Lizenzdienst hat gerade Probleme. Versuchen Sie es später noch einmal.',
    'rate-limited': 'Zu viele Anfragen. Versuchen Sie es später noch einmal.',
    'incomplete-answer':
      'Die Antwort des Lizenzdienstes ist unterwegs abgebrochen. Versuchen Sie es gleich noch einmal.',
    'unexpected-answer':
      'Statt des Lizenzdienstes hat etwas anderes geantwortet. Melden Sie sich im öffentlichen Netz zuerst an.',
    unauthorized:
      'Der Lizenzdienst hat die Anfrage dieser App oder ihres Netzes nicht angenommen. Versuchen Sie ein anderes Netz oder wenden Sie sich an den Support.',
    'untrusted-answer':
      'Die Antwort trägt keine gültige Unterschrift des Lizenzdienstes. Versuchen Sie es später noch einmal.',
    'store-empty': 'Die Lizenzdatei war leer und wurde beiseitegelegt. Aktivieren Sie erneut.',
    'store-unreadable': 'Die Lizenzdatei war beschädigt und wurde beiseitegelegt. Aktivieren Sie erneut.',
    'store-newer-version':
      'Die Lizenzdatei stammt von einer neueren Version dieser App. Aktualisieren Sie die App oder aktivieren Sie erneut.',
    'store-undecryptable':
      'Die Lizenzdatei lässt sich auf diesem System nicht mehr entschlüsseln. Starten Sie die App neu und erlauben Sie gegebenenfalls den Zugriff auf den Schlüsselbund. Hilft das nicht, aktivieren Sie erneut.',
    'store-edited': 'Die Lizenzdatei wurde von außen verändert und gilt nicht mehr. Aktivieren Sie erneut.',
    'store-restored': 'Die Lizenzdatei war beschädigt; ihre letzte gute Kopie wird verwendet.',
    'store-not-writable':
      'Die Lizenz konnte nicht gespeichert werden, weil der App-Ordner schreibgeschützt ist. Prüfen Sie die Rechte des Ordners und versuchen Sie es erneut.',
    'disk-full':
      'Die Lizenz konnte nicht gespeichert werden, weil der Datenträger voll ist. Schaffen Sie Platz und versuchen Sie es erneut.',
    'record-of-another-device':
      'Die Lizenzdatei wurde von einem anderen Gerät kopiert. Aktivieren Sie die Lizenz hier, um sie auch auf diesem zu nutzen.',
    'clock-behind': 'Die Uhr dieses Computers geht falsch. Stellen Sie Datum und Uhrzeit richtig ein.',
    'trial-over': 'Die Testzeit ist vorbei. Geben Sie einen Lizenzschlüssel ein, um fortzufahren.',
    busy: 'Ein anderer Lizenzvorgang läuft noch. Warten Sie, bis er beendet ist.',
    'not-activated': 'Auf diesem Gerät ist keine Lizenz aktiviert.',
    misconfigured:
      'Die Lizenzierung ist in dieser App nicht richtig eingerichtet. Wenden Sie sich an den Hersteller.',
    unexpected:
      'Etwas Unerwartetes ist schiefgegangen. Versuchen Sie es erneut, oder fragen Sie den Support.',
  },
}
