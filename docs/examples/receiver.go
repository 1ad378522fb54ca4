// A receiver for Godwit: write, flush, then acknowledge.   usage: go run receiver.go FILE ADDRESS TOKEN
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
)

var lock sync.Mutex

func store(file *os.File, stored map[string]bool, request *http.Request) (int, any) {
	var batch struct{ Location, Geofence []json.RawMessage }
	device := request.Header.Get("Godwit-Device")
	if request.Header.Get("Authorization") != "Bearer "+os.Args[3] {
		return 401, map[string]string{"error": "unknown token"}
	} else if device == "" || json.NewDecoder(request.Body).Decode(&batch) != nil {
		return 422, map[string]string{"error": "not a batch of records"}
	}
	lines, ack, keys := "\n", []string{}, []string{} // The line break ends a line that a power cut has torn.
	for _, record := range append(batch.Location, batch.Geofence...) {
		var id struct{ UUID string }
		if json.Unmarshal(record, &id) != nil || id.UUID == "" {
			return 422, map[string]string{"error": "a record without uuid"}
		}
		key := device + " " + id.UUID
		if ack, keys = append(ack, id.UUID), append(keys, key); !stored[key] {
			text, _ := json.Marshal(record) // Without line breaks.
			lines += key + " " + string(text) + "\n"
		}
	}
	if _, err := file.WriteString(lines); err != nil || file.Sync() != nil {
		return 503, map[string]string{"error": "cannot write"}
	}
	for _, key := range keys {
		stored[key] = true
	}
	return 200, map[string][]string{"ack": ack}
}

func main() {
	before, _ := os.ReadFile(os.Args[1])
	file, err := os.OpenFile(os.Args[1], os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	stored := map[string]bool{} // Each line is: device, blank, uuid, blank, record.
	for _, line := range strings.Split(string(before), "\n") {
		if part := strings.SplitN(line, " ", 3); len(part) == 3 && json.Valid([]byte(part[2])) {
			stored[part[0]+" "+part[1]] = true
		}
	}
	http.HandleFunc("/", func(reply http.ResponseWriter, request *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		status, answer := store(file, stored, request)
		reply.Header().Set("Content-Type", "application/json")
		reply.WriteHeader(status)
		json.NewEncoder(reply).Encode(answer)
	})
	log.Fatal(http.ListenAndServe(os.Args[2], nil))
}
