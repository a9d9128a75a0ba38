import type { OfflineStrings } from './offline-strings.ts'

export const strings: OfflineStrings = {
  heading: 'Aktywacja bez internetu',
  lead: 'Potrzebujesz innego urządzenia z internetem, na przykład telefonu.',
  requestHeading: 'Zeskanuj ten kod telefonem',
  requestLead: 'Możesz też zapisać prośbę i otworzyć poniższy adres na urządzeniu z internetem.',
  fileHeading: 'Otwórz tę prośbę na innym urządzeniu',
  fileLead: 'Zapisz prośbę i otwórz poniższy adres na urządzeniu z internetem.',
  code: 'Prośba jako kod QR',
  address: 'Adres',
  request: 'Prośba',
  saveFile: 'Zapisz jako plik',
  copyText: 'Kopiuj jako tekst',
  enterAnswer: 'Wprowadź odpowiedź',
  answerHeading: 'Wprowadź odpowiedź',
  answerLead: 'Wybierz plik ze strony aktywacji, upuść go tutaj albo wklej tekst.',
  answer: 'Odpowiedź',
  chooseFile: 'Wybierz plik',
  showRequest: 'Pokaż prośbę',
  activeUntil: 'Aktywacja bez internetu jest ważna do {date}.',
  licenseEnds: 'Licencja ważna do',
  endsSoon:
    'Aktywacja bez internetu kończy się {date}.\nAby ją przedłużyć, połącz się raz z internetem albo aktywuj ponownie bez internetu.',
  releaseHeading: 'Zwolnij miejsce tego urządzenia',
  releaseLead:
    'To urządzenie jest dezaktywowane.\nAby zwolnić jego miejsce, otwórz ten kod zwolnienia na urządzeniu z internetem.',
  releaseCode: 'Kod zwolnienia',
  showRelease: 'Pokaż kod zwolnienia',
  problems: {
    'no-offline-answer':
      'To nie jest odpowiedź ze strony aktywacji. Wybierz otrzymany tam plik albo skopiuj cały tekst.',
    'offline-answer-too-long': 'Ten plik jest za duży jak na odpowiedź. Wybierz plik ze strony aktywacji.',
    'offline-request-as-answer':
      'To jest prośba komputera. Otwórz ją na stronie aktywacji i przenieś tutaj odpowiedź.',
    'online-lease-as-answer':
      'To wystawiono komputerowi z internetem. Utwórz prośbę tutaj i przenieś odpowiedź na nią.',
    'offline-answer-torn':
      'Brakuje części odpowiedzi. Skopiuj cały tekst albo wybierz plik ze strony aktywacji.',
    'offline-answer-edited':
      'Odpowiedź zmieniła się po drodze. Otwórz prośbę ponownie na stronie aktywacji i przenieś plik bez zmian.',
    'offline-answer-unknown-key':
      'Ta aplikacja nie rozpoznaje podpisu odpowiedzi. Zaktualizuj aplikację albo skontaktuj się z pomocą techniczną.',
    'offline-answer-newer': 'Odpowiedź jest dla nowszej wersji tej aplikacji. Zaktualizuj aplikację.',
    'offline-answer-other-app':
      'Ta odpowiedź jest dla innej aplikacji. Otwórz na stronie aktywacji prośbę tej aplikacji.',
    'offline-answer-other-device':
      'Ta odpowiedź jest dla innego komputera. Utwórz prośbę tutaj i otwórz ją na stronie aktywacji.',
    'offline-answer-other-request':
      'Ta odpowiedź dotyczy wcześniejszej prośby. Utwórz tutaj nową i otwórz ją na stronie aktywacji.',
    'offline-answer-used':
      'Ta odpowiedź została już użyta na tym komputerze. Aby przedłużyć aktywację, utwórz nową prośbę.',
    'offline-answer-expired':
      'Ta odpowiedź wygasła. Sprawdź datę na tym komputerze, a potem utwórz nową prośbę.',
  },
}
