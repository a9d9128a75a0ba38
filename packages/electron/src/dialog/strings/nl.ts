import type { ActivationStrings } from './activation-strings.ts'

export const strings: ActivationStrings<'one' | 'other'> = {
  starting: 'Een ogenblik…',
  enterHeading: '{app} activeren',
  enterLead: 'Plak de licentiesleutel uit je aankoopmail.',
  keyLabel: 'Licentiesleutel',
  activate: 'Activeren',
  activateOffline: 'Activeren zonder internet',
  checking: 'Bezig met controleren…',
  working: 'Een ogenblik…',
  keyFound: 'Sleutel gevonden.',
  useClipboard: 'Sleutel gevonden op je klembord.',
  fromLink: 'Deze sleutel komt uit de link die je hebt geopend.',
  replacesLicense: 'Activeren vervangt je huidige licentie.',
  chooseKeyHeading: 'Welke is je licentiesleutel?',
  chooseKeyLead: 'De geplakte tekst bevat meerdere sleutels.',
  chooseKey: 'Kies de sleutel die je wilt activeren.',
  takingLong: 'Dit duurt langer dan normaal.',
  stopWaiting: 'Niet langer wachten',

  activatedHeading: '{app} is geactiveerd',
  activatedLead: 'Alles is klaar, ook offline.',
  endsSoonLead: 'Je licentie eindigt op {date}.',
  devicesInUse: 'Apparaten in gebruik',
  usedOfLimit: '{used} van {limit}',
  validUntil: 'Geldig tot',
  updatesUntil: 'Updates tot',
  noEndDate: 'Geen einddatum',
  continue: 'Doorgaan',

  deactivate: 'Dit apparaat afmelden',
  deactivateHeading: 'Dit apparaat afmelden?',
  deactivateLead:
    'Hiermee komt een plaats vrij voor een andere computer.\nOm {app} hier weer te gebruiken, voer je je licentiesleutel in.',
  deactivateNow: 'Afmelden',
  deactivated: 'Dit apparaat is afgemeld en de plaats is vrij.',
  seatKept: 'Dit apparaat is afgemeld, maar de plaats bij de vorige licentiedienst is nog bezet.',
  cancel: 'Annuleren',

  noNetworkHeading: 'Geen verbinding',
  noAnswerHeading: 'Nog geen antwoord',
  noNetworkLead: 'We konden de licentiedienst niet bereiken.',
  nextTry: 'Nieuwe poging over {time}',
  worksMeanwhile: 'Ondertussen kun je {app} blijven gebruiken.',
  keyIsKept: 'Je sleutel is bewaard en de activering gaat automatisch verder.',
  tryNow: 'Nu proberen',
  changeKey: 'Sleutel wijzigen',
  useOtherKey: 'Andere sleutel gebruiken',

  noSeatHeading: 'Geen plaatsen meer vrij',
  noSeatLead: 'Geef een apparaat vrij om {app} op dit apparaat te activeren.',
  seatsInUse: '{used} van {limit} plaatsen in gebruik',
  deviceList: 'Apparaten met deze licentie',
  activatedOn: 'Geactiveerd op {date}',
  thisDevice: 'Dit apparaat',
  release: 'Vrijgeven en hier activeren',
  chooseDevice: 'Kies het apparaat dat je wilt vrijgeven.',
  loadingDevices: 'Apparaten worden geladen…',
  devicesUnavailable: 'De apparaten konden niet worden opgehaald.',
  buySeats: 'Meer plaatsen kopen',
  account: 'Klantaccount',

  expiredHeading: 'Je licentie is verlopen',
  expiredLead: 'De licentie eindigde op {date}.\nVerleng die om {app} te blijven gebruiken.',
  renew: 'Licentie verlengen',
  checkAgain: 'Opnieuw controleren',
  notCoveredHeading: 'Deze versie is niet inbegrepen',
  notCoveredLead:
    'Je licentie geldt voor versies die tot en met {date} zijn uitgebracht.\nVerleng die of ga terug naar een eerdere versie.',
  coveredVersion: 'Eerdere versie downloaden',
  suspendedHeading: 'Je licentie is opgeschort',
  inactiveHeading: 'Je licentie is niet actief',
  contactSupport: 'Neem contact op met support.',
  reportedStatus: 'Gemelde status',
  movedHeading: 'Dit apparaat is vrijgegeven',
  activateAgain: 'Opnieuw activeren',

  graceHeading: 'Offline aan het werk',
  graceLead: {
    one: 'We konden de licentiedienst niet bereiken.\n{app} blijft nog {count} dag werken.',
    other: 'We konden de licentiedienst niet bereiken.\n{app} blijft nog {count} dagen werken.',
  },
  renewalLead: {
    one: 'Je licentie is afgelopen en we konden niet nagaan of die is verlengd.\n{app} blijft nog {count} dag werken.',
    other:
      'Je licentie is afgelopen en we konden niet nagaan of die is verlengd.\n{app} blijft nog {count} dagen werken.',
  },
  graceOverHeading: 'Maak verbinding met internet',
  graceOverLead:
    'Je licentie is een tijd niet gecontroleerd.\nMaak verbinding en controleer opnieuw.\nJe sleutel is niet nodig.',

  trialHeading: {
    one: 'Nog {count} dag proefperiode',
    other: 'Nog {count} dagen proefperiode',
  },
  trialLead: 'Alles werkt tot {date}.',
  trialHint: 'Heb je een licentiesleutel? Plak die hier wanneer je wilt.',
  continueTrial: 'Verder proberen',
  trialOverHeading: 'Je proefperiode is voorbij',
  trialOverLead: 'Voer een licentiesleutel in om {app} te blijven gebruiken.',

  storageHeading: 'Activeer opnieuw',
  notSavedHeading: 'De licentie kon niet worden opgeslagen',
  refusedHeading: 'De activering is geweigerd',
  misconfiguredHeading: 'De licenties zijn niet goed ingesteld',
  misconfiguredLead: 'Dit ligt niet aan jou.\nStuur deze code naar de maker van {app}:',
  copyCode: 'Gegevens kopiëren',

  buy: 'Licentie kopen',
  help: 'Hulp',
  support: 'Hulp vragen',
  copyDetails: 'Gegevens voor support kopiëren',
  copied: 'Gekopieerd',

  problems: {
    'empty-text': 'Er is niets ingevoerd. Plak de licentiesleutel uit je aankoopmail.',
    'no-license-key': 'Deze tekst bevat geen licentiesleutel. Kopieer de sleutel uit je aankoopmail.',
    'several-license-keys':
      'Deze tekst bevat meerdere licentiesleutels. Plak alleen de sleutel die je wilt gebruiken.',
    'text-too-long': 'Deze tekst is te lang voor een licentiesleutel. Plak alleen de sleutel.',
    'license-not-found':
      'We hebben deze licentiesleutel niet gevonden. Controleer of je die helemaal hebt gekopieerd.',
    'wrong-product':
      'Deze licentiesleutel hoort bij een ander product. Gebruik de licentiesleutel die je voor deze app hebt gekocht.',
    'license-expired': 'Deze licentie is verlopen. Verleng die om de app te blijven gebruiken.',
    'license-suspended': 'Deze licentie is opgeschort. Neem contact op met support.',
    'license-inactive': 'Deze licentie is niet actief. Neem contact op met support.',
    'no-seat-left':
      'Deze licentie wordt op zoveel apparaten gebruikt als is toegestaan. Geef er een vrij om haar hier te gebruiken.',
    'activation-refused': 'De sleutel is geweigerd. Misschien is de licentie verlopen of opgeschort.',
    'activation-paused':
      'Deze activering is meer dan een dag geleden gestart. Voer de licentiesleutel opnieuw in om haar af te ronden.',
    'activation-unconfirmed':
      'De verbinding viel weg voordat de activering was bevestigd. Probeer het opnieuw om haar af te ronden.',
    'license-of-other-service':
      'Deze app gebruikt nu een andere licentiedienst. Voer je nieuwe licentiesleutel in.',
    'seat-may-be-taken':
      'De verbinding viel weg voordat de activering was bevestigd. Misschien bezet ze al een plaats. Probeer het opnieuw, of geef dit apparaat eerst vrij in je klantaccount.',
    'test-license-key': 'Deze licentiesleutel is alleen om te testen. Gebruik de sleutel uit je aankoopmail.',
    'moved-to-another-device':
      'Je licentie is waarschijnlijk naar een ander apparaat verplaatst. Activeer opnieuw om haar hier te gebruiken.',
    unconfirmed:
      'De licentiedienst gaf een onduidelijk antwoord over dit apparaat. Er wordt opnieuw gevraagd.',
    'adoption-unavailable':
      'De licentiedienst gaf geen lijst van apparaten, dus een eerdere activering van dit apparaat kon niet worden hergebruikt.',
    'devices-not-listed':
      'De licentiedienst toont geen apparaten in de app. Geef een apparaat vrij in je klantaccount.',
    'device-not-found': 'Dit apparaat hoort niet meer bij de licentie. Vernieuw de lijst.',
    'deactivation-pending':
      'Dit apparaat is afgemeld. Zijn plaats komt vrij zodra de licentiedienst bereikbaar is.',
    offline: 'De licentiedienst is niet bereikbaar. Controleer de internetverbinding.',
    timeout: 'De licentiedienst antwoordde niet op tijd. Probeer het zo nog eens.',
    'service-error': 'De licentiedienst heeft problemen. Probeer het later opnieuw.',
    'rate-limited': 'Te veel verzoeken. Probeer het later opnieuw.',
    'incomplete-answer':
      'Het antwoord van de licentiedienst is onderweg afgebroken. Probeer het zo nog eens.',
    'unexpected-answer':
      'Iets anders dan de licentiedienst gaf antwoord. Meld je op een openbaar netwerk eerst daar aan.',
    unauthorized:
      'De licentiedienst aanvaardde het verzoek van deze app of haar netwerk niet. Probeer een ander netwerk of neem contact op met support.',
    'untrusted-answer':
      'Het antwoord draagt geen geldige handtekening van de licentiedienst. Probeer het later opnieuw.',
    'store-empty': 'Het licentiebestand was leeg en is apart gezet. Activeer opnieuw.',
    'store-unreadable': 'Het licentiebestand was beschadigd en is apart gezet. Activeer opnieuw.',
    'store-newer-version':
      'Het licentiebestand komt van een nieuwere versie van deze app. Werk de app bij of activeer opnieuw.',
    'store-undecryptable':
      'Het licentiebestand kan op dit systeem niet meer worden ontsleuteld. Start de app opnieuw en geef desgevraagd toegang tot de sleutelhanger. Helpt dat niet, activeer dan opnieuw.',
    'store-edited':
      'Het licentiebestand is van buitenaf gewijzigd en wordt niet vertrouwd. Activeer opnieuw.',
    'store-restored': 'Het licentiebestand was beschadigd; de laatste goede kopie is in gebruik.',
    'store-not-writable':
      'De licentie kon niet worden opgeslagen omdat de app-map niet beschrijfbaar is. Controleer de rechten van de map en probeer het opnieuw.',
    'disk-full':
      'De licentie kon niet worden opgeslagen omdat de schijf vol is. Maak ruimte vrij en probeer het opnieuw.',
    'record-of-another-device':
      'Het licentiebestand is van een ander apparaat gekopieerd. Activeer de licentie hier om haar ook op dit apparaat te gebruiken.',
    'clock-behind': 'De klok van deze computer loopt niet goed. Stel datum en tijd in.',
    'trial-over': 'De proefperiode is voorbij. Voer een licentiesleutel in om door te gaan.',
    busy: 'Er loopt nog een andere licentieactie. Wacht tot die klaar is.',
    'not-activated': 'Op dit apparaat is geen licentie geactiveerd.',
    misconfigured: 'De licenties zijn in deze app niet goed ingesteld. Neem contact op met de maker.',
    unexpected: 'Er ging onverwacht iets mis. Probeer het opnieuw of neem contact op met support.',
  },
}
