// What people do with the client that OpenAPI Generator makes for Go.
package main

import (
	"context"
	"fmt"
	"net/http"

	client "example.org/fave/client"
)

func check(isTrue bool, what ...any) {
	if !isTrue {
		panic(fmt.Sprint(what...))
	}
}

func main() {
	// The client knows the address from the document.
	api := client.NewAPIClient(client.NewConfiguration())
	stranger := context.Background()

	account := client.NewSignUpRequest("tulip staple 42", "gopher")
	user, _, err := api.UsersAPI.SignUp(stranger).SignUpRequest(*account).Execute()
	check(err == nil, err)
	fmt.Println("signed up", user.Username)

	credentials := client.NewSignInRequest("tulip staple 42", "gopher")
	tokens, _, err := api.SessionsAPI.SignIn(stranger).SignInRequest(*credentials).Execute()
	check(err == nil, err)
	person := context.WithValue(stranger, client.ContextAccessToken, tokens.AccessToken)
	fmt.Println("signed in")

	found, _, err := api.GamesAPI.ListGames(stranger).Search("portal").Execute()
	check(err == nil && len(found.Games) > 0, err)
	platform := found.Games[0].Platforms[0].Id
	entries := []client.DraftEntry{}
	for _, game := range found.Games {
		for _, other := range game.Platforms {
			if other.Id == platform && len(entries) < 3 {
				entries = append(entries, *client.NewDraftEntry(game.Id, platform))
			}
		}
	}

	_, read, err := api.MyListAPI.GetMyList(person).Execute()
	check(err == nil, err)
	tag := read.Header.Get("ETag")
	body := *client.NewReplaceMyListRequest(entries)
	save := func() (*client.UserList, *http.Response, error) {
		return api.MyListAPI.ReplaceMyList(person).IfMatch(tag).ReplaceMyListRequest(body).Execute()
	}
	saved, _, err := save()
	check(err == nil && len(saved.Entries) == len(entries), err)
	fmt.Println("saved", len(saved.Entries))
	_, late, err := save()
	check(err != nil && late.StatusCode == 412, err)
	problem, isProblem := err.(*client.GenericOpenAPIError).Model().(client.Problem)
	check(isProblem && problem.Kind == "precondition-failed", problem)
	fmt.Println("refused:", problem.Kind)

	places := 0
	request := api.PlatformsAPI.GetRanking(stranger, fmt.Sprint(platform)).Limit(1)
	for {
		page, _, err := request.Execute()
		check(err == nil, err)
		places += len(page.Games)
		next := page.NextCursor.Get()
		if next == nil {
			break
		}
		request = request.Cursor(*next)
	}
	check(places >= len(entries), places)
	fmt.Println("paged through", places)

	refresh := client.NewRefreshRequest(tokens.RefreshToken)
	renewed, _, err := api.SessionsAPI.Refresh(stranger).RefreshRequest(*refresh).Execute()
	check(err == nil && renewed.RefreshToken != tokens.RefreshToken, err)
	fmt.Println("refreshed")
}
